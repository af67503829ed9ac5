import { character, ESCAPES } from '../tree/escapes.ts'
import { memoized } from '../tree/memoized.ts'
import type { SyntaxNode } from '../tree/syntax-node.ts'
import { joined, text, textsOf, UNKNOWN, union, type Values } from '../tree/value.ts'

const ANSI: typeof ESCAPES = { ...ESCAPES, a: '\x07', e: '\x1b', E: '\x1b' }
/** Words within words that are followed. */
const DEEPEST = 32

/** Makes the function that finds which texts a word of a script may be once the shell has taken its quotes off. */
export function wordsOf(nodes: readonly SyntaxNode[]): (node: SyntaxNode) => Values {
  const variables = new Map<string, SyntaxNode[]>()
  for (const node of nodes) {
    const [name, value] = [node.at('name'), node.at('value')]
    if (node.type !== 'variable_assignment' || !name || !value) continue
    const values = variables.get(name.text) ?? []
    if (values.length < 8) variables.set(name.text, [...values, value])
  }
  const word = memoized(DEEPEST, fresh)
  return word

  function fresh(node: SyntaxNode): Values {
    switch (node.type) {
      case 'word':
      case 'number':
        return text(node.text.replaceAll(/\\([\s\S])/g, '$1'))
      case 'command_name':
      case 'concatenation':
        return joined(node.children.map(word))
      case 'string_content':
        return text(node.text.replaceAll(/\\([$`"\\])/g, '$1'))
      case 'string':
        return node.children.length === 0 ? text(node.text.slice(1, -1)) : joined(node.children.map(word))
      case 'raw_string':
        return text(node.text.slice(1, -1))
      case 'ansi_c_string':
        return text(unescaped(node.text.slice(2, -1)))
      case 'translated_string':
        return joined(node.children.map(word))
      case 'simple_expansion':
      case 'expansion':
        return expansion(node)
      case 'command_substitution':
        return echoed(node)
      default:
        return UNKNOWN
    }
  }

  /** `$a` and `${a}`; what changes the value on the way is not followed. */
  function expansion(node: SyntaxNode): Values {
    const [name, ...more] = node.children
    if (name?.type !== 'variable_name' || more.length > 0) return UNKNOWN
    return union((variables.get(name.text) ?? []).map(word))
  }

  /** `$(echo rm)` is `rm`. */
  function echoed(node: SyntaxNode): Values {
    const [command, ...more] = node.children
    if (command?.type !== 'command' || more.length > 0) return UNKNOWN
    const [name, ...args] = command.children
    if (name === undefined || !textsOf(word(name)).some((text) => text === 'echo' || text === 'printf'))
      return UNKNOWN
    return joined(args.map(word), ' ')
  }
}

function unescaped(source: string): string {
  return source.replaceAll(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|([\s\S]))/g,
    (_, hex?: string, unicode?: string, octal?: string, other = '') => {
      const digits = hex ?? unicode
      if (digits !== undefined) return character(Number.parseInt(digits, 16))
      return octal === undefined ? (ANSI[other] ?? other) : character(Number.parseInt(octal, 8))
    },
  )
}

import { character, ESCAPES } from '../tree/escapes.ts'
import { memoized } from '../tree/memoized.ts'
import type { SyntaxNode } from '../tree/syntax-node.ts'
import { joined, text, textsOf, UNKNOWN, union, type Values } from '../tree/value.ts'

const ANSI: typeof ESCAPES = { ...ESCAPES, a: '\x07', e: '\x1b', E: '\x1b' }
/** Words within words that are followed. */
const DEEPEST = 32

/** Makes the function that finds which texts a word of a script may be once the shell has taken its quotes off. */
export function wordsOf(nodes: readonly SyntaxNode[]): (node: SyntaxNode) => Values {
  const variables = variablesOf(nodes)
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

  /** `$a`, `${a}` and `${a:-b}`; what else changes the value on the way is not followed. */
  function expansion(node: SyntaxNode): Values {
    const [name, ...more] = node.children
    if (name?.type !== 'variable_name') return UNKNOWN
    const otherwise = /^:?[-=+]$/.test(more[0]?.type ?? '') ? more[1] : undefined
    if (more.length > (otherwise === undefined ? 0 : 2)) return UNKNOWN
    let found: Values = UNKNOWN
    for (const { value, added } of variables.get(name.text) ?? [])
      found = union([found, added ? joined([found, word(value)]) : word(value)])
    return otherwise === undefined ? found : union([found, word(otherwise)])
  }

  /** `$(echo rm)` is `rm`, and so is `$(printf '%s' rm)`. */
  function echoed(node: SyntaxNode): Values {
    const [command, ...more] = node.children
    if (command?.type !== 'command' || more.length > 0) return UNKNOWN
    const [name, ...args] = command.children
    const [printer] = name === undefined ? [] : textsOf(word(name))
    if (printer !== 'echo' && printer !== 'printf') return UNKNOWN
    const first = args.findIndex((arg) => !textsOf(word(arg)).some((text) => /^(-[neE]+|--)$/.test(text)))
    const [format] = args[first] === undefined ? [] : textsOf(word(args[first]))
    if (printer === 'echo' || !format?.includes('%')) return joined(args.slice(first).map(word), ' ')
    return /^(%s)+(\\n)?$/.test(format) ? joined(args.slice(first + 1).map(word)) : UNKNOWN
  }
}

/** What a script gives each of its variables, in the order of the text. */
function variablesOf(nodes: readonly SyntaxNode[]) {
  const variables = new Map<string, { readonly value: SyntaxNode; readonly added: boolean }[]>()
  for (const node of nodes) {
    const loop = node.type === 'for_statement'
    if (!loop && node.type !== 'variable_assignment') continue
    const name = node.at(loop ? 'variable' : 'name')?.text
    if (name === undefined) continue
    const given = variables.get(name) ?? []
    const added = !loop && node.text.startsWith('+=', name.length)
    for (const value of node.children.filter(({ field }) => field === 'value'))
      if (given.length < 8) given.push({ value, added })
    variables.set(name, given)
  }
  return variables
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

import { character, ESCAPES } from '../tree/escapes.ts'
import type { SyntaxNode } from '../tree/syntax-node.ts'
import { joined, text, UNKNOWN, type Values } from '../tree/value.ts'

const SIMPLE: typeof ESCAPES = { ...ESCAPES, a: '\x07' }

/** The text of a string literal, f-strings with known parts included. */
export function literal(node: SyntaxNode, evaluate: (node: SyntaxNode) => Values): Values {
  const start = node.first('string_start')
  const end = node.first('string_end')
  if (start === undefined || end === undefined) return UNKNOWN
  const prefix = start.text.toLowerCase()
  const raw = prefix.includes('r')
  // The names of all characters are too long a list to have here.
  if (!raw && node.text.includes('\\N{')) return UNKNOWN
  const parts: Values[] = []
  let offset = start.end
  const source = node.text
  const plain = (until: number) => {
    const piece = source.slice(offset - node.start, until - node.start)
    if (piece !== '') parts.push(text(raw ? piece : unescaped(piece)))
  }
  for (const hole of node.children) {
    if (hole.type !== 'interpolation') continue
    plain(hole.start)
    const expression = hole.at('expression')
    // A format or conversion may change the text in ways that nobody needs to follow.
    parts.push(expression === undefined || hole.children.length > 1 ? UNKNOWN : evaluate(expression))
    offset = hole.end
  }
  plain(end.start)
  return joined(parts)
}

function unescaped(source: string): string {
  return source.replaceAll(
    /\\(\r?\n|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|[\s\S])/g,
    (whole, body: string, hex?: string, short?: string, long?: string, octal?: string) => {
      const digits = hex ?? short ?? long
      if (digits !== undefined) return character(Number.parseInt(digits, 16))
      if (octal !== undefined) return character(Number.parseInt(octal, 8))
      if (body.endsWith('\n')) return ''
      if ('\\\'"'.includes(body)) return body
      return SIMPLE[body] ?? whole
    },
  )
}

import { visible } from '@isopod/protocol'
import { element } from './dom.ts'

// Marks the start and end of an escape. Never part of visible text, because `visible` escapes it too.
const MARK = '\u0001'

/**
 * Untrusted text as text nodes. Control, bidi and invisible characters become marked escapes.
 */
export function shownText(text: string): Node[] {
  const parts = visible(text, (codePoint) => `${MARK}${spelled(codePoint)}${MARK}`).split(MARK)
  return parts.flatMap((part, index) => {
    if (part === '') return []
    return [index % 2 === 0 ? document.createTextNode(part) : element('span', { class: 'spelled' }, part)]
  })
}

function spelled(codePoint: number): string {
  const hex = codePoint.toString(16)
  return codePoint < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`
}

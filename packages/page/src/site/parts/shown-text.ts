import { visible } from '@isopod/protocol'
import { element } from './dom.ts'

// Begins and ends what is written out: never part of a visible text, as `visible` writes it out too.
const MARK = '\u0001'

/**
 * A text of unknown origin as nodes: text alone, and what would deceive (control, bidi and invisible characters) written out
 * and marked.
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

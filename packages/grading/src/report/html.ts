/** Markup that may stand in a page as it is. */
export class Html {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

/** What can stand in a template: markup as it is, text and numbers escaped, nothing for what is not there. */
export type Part = Html | string | number | undefined | readonly Part[]

/**
 * A template whose every text is escaped: what a program wrote can never become markup.
 *
 * @example
 * ```ts
 * html`<td>${'<script>'}</td>`.toString() // '<td>&lt;script&gt;</td>'
 * ```
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((markup, at) => `${at === 0 ? '' : rendered(parts[at - 1])}${markup}`).join(''))
}

function rendered(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.toString()
  if (typeof part === 'object') return part.map(rendered).join('')
  return escaped(visible(String(part)))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** Control characters but tab and newline, halves of pairs, what hides, turns or reorders text, and what is no character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffe\uffff]/gu

/** A program's text with all that a page would hide or obey written out: `␛[31m`, `␀`, `\u202e`, `\ud800`. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7f) return '␡'
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

import { visible } from '@isopod/protocol'

/** Trusted markup. */
export class Html {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

/** Values in a template: markup is inserted unchanged, texts and numbers are escaped, undefined is omitted. */
export type Part = Html | string | number | undefined | readonly Part[]

/**
 * A template that escapes every text, so that program output cannot become markup.
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
  return escaped(withControlPictures(String(part)))
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

/** Untrusted text for a page, with symbols for control characters: `␛[31m`, `␀`, `\u{202e}`, `\u{d800}`. */
export function withControlPictures(text: string): string {
  return visible(text.replaceAll('\r\n', '\n'), (codePoint) => {
    if (codePoint < 0x20) return String.fromCodePoint(0x2400 + codePoint)
    return codePoint === 0x7f ? '␡' : `\\u{${codePoint.toString(16)}}`
  })
}

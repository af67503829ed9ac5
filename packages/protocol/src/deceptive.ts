/**
 * Characters that a terminal or page obeys, hides or reorders: control characters except tab and newline (Cc), bidi controls,
 * joiners, tags and annotations (Cf), line and paragraph separators (Zl, Zp), lone surrogates (Cs), characters that fonts draw as
 * nothing (Default_Ignorable_Code_Point), and code points that are not characters. Also the ninth and further combining marks on
 * one letter: no script needs them, and they cover the lines above and below.
 *
 * Exception: U+FE0E and U+FE0F directly after a pictograph, where they choose between text and colour. Zero-width joiners are
 * escaped even within emoji, so a family emoji is shown as its members.
 */
const DECEPTIVE =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}](?<!\p{Extended_Pictographic}[\ufe0e\ufe0f])|(?<=\p{M}{8})\p{M}/gu

/**
 * Makes untrusted text safe to show: escapes deceptive characters, keeps tab and newline.
 *
 * @param escapeCodePoint escapes one code point. @default `\x1b` up to U+00FF, `\u{202e}` beyond
 */
export function visible(
  text: string,
  escapeCodePoint: (codePoint: number) => string = readableEscape,
): string {
  return text.replace(DECEPTIVE, (character) => escapeCodePoint(character.codePointAt(0) ?? 0))
}

/** A value as one line of JSON that is safe in a terminal. Deceptive characters are escaped; it parses to the same value. */
export function visibleJson(value: unknown): string {
  return visible(JSON.stringify(value), jsonEscape)
}

function readableEscape(codePoint: number): string {
  const hex = codePoint.toString(16)
  return codePoint < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`
}

/** JSON escapes a code point beyond U+FFFF as two surrogates. */
function jsonEscape(codePoint: number): string {
  const units = String.fromCodePoint(codePoint).split('')
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}

/**
 * What a terminal or a page would obey, hide or reorder instead of showing: control characters but tab and newline (Cc), bidi
 * controls, joiners, tags and annotations (Cf), line and paragraph separators (Zl, Zp), halves of pairs (Cs), all that fonts
 * draw as nothing, such as fillers and variation selectors (Default_Ignorable_Code_Point), and what is no character. Of marks that
 * stand on one letter those from the ninth on: no script needs so many, and a pile of them covers the lines above and below.
 *
 * One exception, so that emoji look as usual: U+FE0E and U+FE0F directly behind a pictograph, where they choose between text and
 * colour. Zero-width joiners are always written out, also within emoji: a family is shown as its members.
 */
const DECEPTIVE =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}](?<!\p{Extended_Pictographic}[\ufe0e\ufe0f])|(?<=\p{M}{8})\p{M}/gu

/**
 * A text of unknown origin as it can be shown to a person: what deceives is written out, tab and newline stay.
 *
 * @param spell how one code point is written out. @default `\x1b` up to U+00FF, `\u{202e}` beyond
 */
export function visible(text: string, spell: (codePoint: number) => string = spelled): string {
  return text.replace(DECEPTIVE, (character) => spell(character.codePointAt(0) ?? 0))
}

/** A value as one line of JSON that a terminal can show: what deceives is escaped, so that it reads back as it was. */
export function visibleJson(value: unknown): string {
  return visible(JSON.stringify(value), escaped)
}

function spelled(codePoint: number): string {
  const hex = codePoint.toString(16)
  return codePoint < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`
}

/** JSON knows no code points beyond U+FFFF, only the two halves of each. */
function escaped(codePoint: number): string {
  const units = String.fromCodePoint(codePoint).split('')
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}

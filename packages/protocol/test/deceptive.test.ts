import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { visible, visibleJson } from '../src/deceptive.ts'
import { DECEPTIVE_CODE_POINTS } from './deceptive-code-points.ts'

const DECEPTIVE = new Set(DECEPTIVE_CODE_POINTS)
/** Any text, with many deceptive characters. */
const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...DECEPTIVE_CODE_POINTS).map((code) => String.fromCodePoint(code)),
    ),
  )
  .map((parts) => parts.join(''))

function deceptive(text: string): string[] {
  const withoutVariations = text.replaceAll(/(\p{Extended_Pictographic})[\ufe0e\ufe0f]/gu, '$1')
  return [...withoutVariations].filter((character) => DECEPTIVE.has(character.codePointAt(0) ?? 0))
}

describe('visible', () => {
  it('keeps combining marks of real scripts', () => {
    for (const text of ['בְּרֵאשִׁ֖ית', 'ཧྐྵྨླྺྼྻྂ', 'กำ็้', 'ệ', 'क्ष्म्य']) expect(visible(text)).toBe(text)
  })

  it('keeps text of any script, tabs and newlines', () => {
    const text = 'a\tb\nÄ 日本語 🇮🇸 👍🏽 ❤\ufe0f ☎\ufe0e 1️⃣ é\u0301 ʼ\u00a0\u3000\n'.replace('1\ufe0f', '1')
    expect(visible(text)).toBe(text)
  })

  it.each([
    ['clears the screen', '\u001b[2J', '\\x1b[2J'],
    ['writes to the clipboard', '\u001b]52;c;cm0=\u0007', '\\x1b]52;c;cm0=\\x07'],
    ['overwrites the line', 'bad\rgood', 'bad\\x0dgood'],
    ['rubs out', 'ab\b\u007f', 'ab\\x08\\x7f'],
    ['starts a sequence with one C1 character', '\u009b31m', '\\x9b31m'],
    ['reorders text', 'a\u202eb\u2066', 'a\\u{202e}b\\u{2066}'],
    ['is not there to be seen', 'pass\u200bword\u00ad', 'pass\\u{200b}word\\xad'],
    ['is a blank that is not a space', 'a\u3164b\uffa0', 'a\\u{3164}b\\u{ffa0}'],
    ['carries words in tags', '🏴\u{e0067}\u{e007f}', '🏴\\u{e0067}\\u{e007f}'],
    ['carries bits in variation selectors', '❤\ufe0f\ufe0f\u{e0100}', '❤\ufe0f\\u{fe0f}\\u{e0100}'],
    ['covers the lines around it', `a${'\u0300'.repeat(10)}b`, `a${'\u0300'.repeat(8)}\\u{300}\\u{300}b`],
    ['joins pictures', '👩\u200d👧', '👩\\u{200d}👧'],
    ['is half a character', '\ud800x', '\\u{d800}x'],
  ])('writes out what %s', (_, given, shown) => {
    expect(visible(given)).toBe(shown)
  })

  it.each(DECEPTIVE_CODE_POINTS.map((code) => code.toString(16)))('escapes U+%s', (hex) => {
    const character = String.fromCodePoint(Number.parseInt(hex, 16))
    expect(visible(`a${character}b`)).toMatch(/^a\\(x[0-9a-f]{2}|u\{[0-9a-f]+\})b$/)
  })

  it('leaves no deceptive character in any text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(deceptive(visible(text))).toEqual([])
        expect(visible(visible(text))).toBe(visible(text))
      }),
    )
  })
})

describe('visibleJson', () => {
  it('is one line without deceptive characters that parses back to the same value', () => {
    const values = fc.oneof(texts, fc.dictionary(texts, texts, { noNullPrototype: true }))
    fc.assert(
      fc.property(values, (value) => {
        const json = visibleJson(value)
        expect(deceptive(json)).toEqual([])
        expect(json).not.toMatch(/[\t\n]/)
        expect(JSON.parse(json)).toEqual(value)
      }),
    )
  })

  it('escapes a character beyond U+FFFF as a surrogate pair', () => {
    expect(visibleJson('\u{e0041}')).toBe('"\\udb40\\udc41"')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { html, withControlPictures } from '../../src/report/html.ts'

describe('a template of markup', () => {
  it('escapes every text and leaves nested templates unescaped', () => {
    const name = `<script>"'&`
    expect(html`<td title="${name}">${[html`<b>${1}</b>`, undefined, name]}</td>`.toString()).toBe(
      '<td title="&lt;script&gt;&quot;&#39;&amp;"><b>1</b>&lt;script&gt;&quot;&#39;&amp;</td>',
    )
  })

  it('escapes any text completely', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(html`${text}`.toString()).not.toMatch(/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/)
      }),
    )
  })
})

describe('withControlPictures', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
    ['a\u0000b\u007f', 'a␀b␡'],
    ['one\r\ntwo\ttwo\n', 'one\ntwo\ttwo\n'],
    ['over\rwritten', 'over␍written'],
    ['\ud800x\udc00', '\\u{d800}x\\u{dc00}'],
    ['\u202etxt.exe', '\\u{202e}txt.exe'],
    ['\u{e0041}', '\\u{e0041}'],
    ['é 🙂 中', 'é 🙂 中'],
  ])('writes %j as %j', (text, shown) => {
    expect(withControlPictures(text)).toBe(shown)
  })

  it('replaces every invisible character, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = withControlPictures(text)
        expect(shown).not.toMatch(
          /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?<!\p{Emoji})[\p{Default_Ignorable_Code_Point}]/u,
        )
        expect(shown.replaceAll(/[\t\n]/g, '')).not.toMatch(/\p{Cc}/u)
        expect(withControlPictures(shown)).toBe(shown)
      }),
    )
  })
})

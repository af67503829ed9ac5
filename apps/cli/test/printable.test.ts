import { describe, expect, it } from 'vitest'
import { firstLine, printable } from '../src/terminal/printable.ts'

describe('printable', () => {
  it('leaves text, tabs, newlines and any script alone', () => {
    const text = 'a\tb\nÄ 日本語 👍🏽 é\n'
    expect(printable(text)).toBe(text)
  })

  it.each([
    ['clears the screen', '\u001b[2J', '\\x1b[2J'],
    ['writes to the clipboard', '\u001b]52;c;cm0=\u0007', '\\x1b]52;c;cm0=\\x07'],
    ['overwrites the line', 'bad\rgood', 'bad\\x0dgood'],
    ['rubs out', 'ab\b\u007f', 'ab\\x08\\x7f'],
    ['starts a sequence with one C1 character', '\u009b31m', '\\x9b31m'],
    ['reorders text', 'a\u202eb\u2066', 'a\\u202eb\\u2066'],
    ['ends a string in C', '\0', '\\x00'],
  ])('writes out what %s', (_, given, shown) => {
    expect(printable(given)).toBe(shown)
  })

  it('leaves no control character of any kind', () => {
    const all = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).join('')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
    expect(printable(all)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
  })
})

describe('firstLine', () => {
  it('is the first line with something on it, with a mark if there is more', () => {
    expect(firstLine('\n\nhello\nworld\n', 20)).toBe('hello…')
    expect(firstLine('hello\n', 20)).toBe('hello')
    expect(firstLine('', 20)).toBe('')
  })

  it('is never longer than asked, however long what is written out gets', () => {
    expect(firstLine('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`)
    expect(firstLine('\u001b'.repeat(100), 10)).toHaveLength(10)
  })
})

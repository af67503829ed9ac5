import { describe, expect, it } from 'vitest'
import { firstLine } from '../src/terminal/printable.ts'

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

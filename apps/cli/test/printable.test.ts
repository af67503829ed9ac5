import { describe, expect, it } from 'vitest'
import { firstLine } from '../src/terminal/printable.ts'

describe('firstLine', () => {
  it('returns the first non-blank line, with a mark if more lines follow', () => {
    expect(firstLine('\n\nhello\nworld\n', 20)).toBe('hello…')
    expect(firstLine('hello\n', 20)).toBe('hello')
    expect(firstLine('', 20)).toBe('')
  })

  it('never exceeds the given length, even when characters are escaped', () => {
    expect(firstLine('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`)
    expect(firstLine('\u001b'.repeat(100), 10)).toHaveLength(10)
  })
})

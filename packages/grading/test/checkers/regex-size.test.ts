import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { regexSize } from '../../src/index.ts'

/** Steps that RE2 adds around each expression. */
const ENDS = 4

function compiledSize(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize()
  } catch {
    return undefined
  }
}

describe('the size of a regular expression', () => {
  it.each([
    ['abc', 3],
    ['a{1000}', 1000],
    ['a{10,}b{2,30}', 40],
    ['(a{10}){10}', 120],
    ['[(]{5}', 5],
    ['[])(]{5}', 5],
    ['[^])(]{5}', 5],
    ['\\({3}\\x{1000}', 4],
    ['\\Q(a{1000}\\E{2}', 13],
    ['a{30}(?i)\\Q\\E{30}', 902],
    ['(?:aaaa)?(?i){30}', 271],
    ['((a){2}', 6],
    ['a)){3}', 15],
  ])('%s is %i', (pattern, size) => {
    expect(regexSize(pattern)).toBe(size)
  })

  it('is at least a third of the compiled size', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        '(?:aaaa)',
        '.',
        '(',
        ')',
        '(?:',
        '[',
        ']',
        '[^]',
        '^',
        '|',
        '*',
        '+',
        '?',
        '\\',
        '\\Q',
        '\\E',
        '\\pL',
        '\\x{41}',
      ],
      ...['{2}', '{3,}', '{0,5}', '{1', '}', '[[:alpha:]]', '-', '(?i)', '$', '[(]', '[a\\]]', '{30}'],
    )
    const pattern = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(pattern, (text) => {
        const size = compiledSize(text) ?? 0
        expect(size).toBeLessThanOrEqual(3 * regexSize(text) + ENDS)
      }),
      { numRuns: 20_000 },
    )
  })
})

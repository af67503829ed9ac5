import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AllowList, readTarget, showTarget } from '../../src/network/allow-list.ts'

const allows = (entries: readonly string[], text: string) => {
  const target = readTarget(text)
  return target !== undefined && new AllowList(entries).allows(target)
}

describe('a target', () => {
  it.each([
    ['Example.ORG:443', 'example.org:443'],
    ['example.org.:443', 'example.org:443'],
    ['bücher.example:443', 'xn--bcher-kva.example:443'],
    ['[2001:DB8:0:0::1]:80', '[2001:db8::1]:80'],
    ['127.1:80', '127.0.0.1:80'],
    ['0x7f.0.0.1:80', '127.0.0.1:80'],
    ['2130706433:80', '127.0.0.1:80'],
    ['under_score.example.org:1', 'under_score.example.org:1'],
  ])('%s is %s', (text, shown) => {
    const target = readTarget(text)
    expect(target && showTarget(target)).toBe(shown)
  })

  it.each([
    ...['', 'example.org', 'example.org:', 'example.org:0', 'example.org:65536', 'example.org:080', ':80'],
    ...[
      'a b:80',
      'a/b:80',
      'a@b:80',
      'a\0b:80',
      '*.example.org:80',
      '[::1]',
      '::1:80',
      '[::1%lo]:80',
      '[1]:80',
    ],
    ...['..:80', 'a..b:80', `${'a'.repeat(254)}:80`, 'http://example.org:80', 'a%00b:80', 'a\n:80'],
  ])('cannot be %j', (text) => {
    expect(readTarget(text)).toBeUndefined()
  })

  it('is parsed to a canonical form or refused, for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const target = readTarget(text)
        if (target === undefined) return
        expect(readTarget(showTarget(target))).toEqual(target)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('an allow-list', () => {
  it('allows its hosts in any spelling, only at their ports', () => {
    const list = ['Example.org:443', '[2001:db8::1]:443', 'bücher.example:443']
    for (const text of [
      'example.org:443',
      'EXAMPLE.org.:443',
      '[2001:0db8:0::0:1]:443',
      'xn--bcher-kva.example:443',
    ]) {
      expect(allows(list, text), text).toBe(true)
    }
    for (const text of ['example.org:80', 'a.example.org:443', 'example.org.evil:443', 'xexample.org:443']) {
      expect(allows(list, text), text).toBe(false)
    }
  })

  it('matches a wildcard with subdomains of any depth, not with the domain itself', () => {
    const list = ['*.example.org:443']
    for (const text of ['a.example.org:443', 'b.a.EXAMPLE.org:443'])
      expect(allows(list, text), text).toBe(true)
    for (const text of ['example.org:443', 'xexample.org:443', 'a.example.org:80', '.example.org:443']) {
      expect(allows(list, text), text).toBe(false)
    }
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonBody } from '../src/http/json-body.ts'

const parse = (text: string) => parseJsonBody(Buffer.from(text))

describe('parseJsonBody', () => {
  it.each(['{"a":[1,{"b":null}]}', '"[[[["', '"\\"[\\\\"', '7', '[]'])('parses %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it('allows objects and lists to be nested 120 deep, and no deeper', () => {
    expect(parse('['.repeat(120) + ']'.repeat(120))).toHaveLength(1)
    expect(() => parse('['.repeat(121) + ']'.repeat(121))).toThrow(/more than 120 deep/)
    expect(() => parse('{"a":'.repeat(100_000))).toThrow(/more than 120 deep/)
  })

  it('does not count brackets in strings', () => {
    expect(parse(JSON.stringify({ code: '['.repeat(1000) }))).toEqual({ code: '['.repeat(1000) })
  })

  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":{"b":[0,{"c":1,"d":2,"c":3}]}}', 'a.b[1].c'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['[{"x":[]},{"__proto__":1,"__proto__":2}]', '[1].__proto__'],
  ])('refuses %s, which names a field twice', (text, field) => {
    expect(() => parse(text)).toThrow(`${field}: must not appear twice`)
  })

  it('allows a name to appear in several objects and as a value', () => {
    const text = '{"a":{"a":["a","a",{"a":":"}]},"b":[{"a":1},{"a":2}],"c":"a","d,":":"}'
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it('agrees with JSON.parse on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('refuses a body that is not UTF-8 or not JSON', () => {
    expect(() => parseJsonBody(Buffer.from([0x22, 0xc3, 0x22]))).toThrow(/UTF-8/)
    expect(() => parse('{"a":1,}')).toThrow(/not valid JSON/)
    expect(() => parse('')).toThrow(/not valid JSON/)
  })
})

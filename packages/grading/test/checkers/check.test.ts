import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Checker, check, jsonProblem } from '../../src/index.ts'

const TYPES = ['exact', 'trimmed', 'tokens', 'numbers', 'lines', 'sorted', 'regex', 'json'] as const
const piece = fc.constantFrom(
  'a',
  'B',
  '1',
  '2.50',
  '-0',
  'é',
  '0x1',
  'nan',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r\n',
  '\n\n',
)
const output = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
/** Two texts that often differ only in white space or order. */
const pair = fc.array(piece, { maxLength: 12 }).chain((pieces) =>
  fc.tuple(
    fc.constant(pieces.join('')),
    fc.oneof(
      fc.constant(pieces.join('')),
      fc.constantFrom(' ', '\n', '\r\n').map((end) => pieces.join('') + end),
      fc.constantFrom(' ', '\n').map((space) => pieces.join('').replaceAll('\t', space)),
      fc.shuffledSubarray(pieces, { minLength: pieces.length }).map((shuffled) => shuffled.join('')),
      output,
    ),
  ),
)
const passes = (checker: Checker, expected: string, actual: string) =>
  check(checker, expected, actual) === undefined

describe('every checker', () => {
  it.each(TYPES.filter((type) => type !== 'regex' && type !== 'json'))('passes equal texts: %s', (type) => {
    fc.assert(
      fc.property(output, (text) => {
        expect(check({ type }, text, text)).toBeUndefined()
      }),
    )
  })

  it.each(TYPES)('describes the difference of hostile texts in one short line: %s', (type) => {
    const hostile = fc.oneof(output, fc.string({ unit: 'binary', maxLength: 500 }), fc.json())
    fc.assert(
      fc.property(hostile, hostile, (expected, actual) => {
        const difference = check({ type }, expected, actual) ?? ''
        expect(difference.length).toBeLessThan(1_500)
        expect(difference).not.toMatch(/[\n\r]/)
      }),
    )
  })

  it.each([
    ['exact', 'trimmed'],
    ['trimmed', 'tokens'],
    ['tokens', 'numbers'],
    ['tokens', 'sorted'],
    ['trimmed', 'lines'],
    ['lines', 'sorted'],
  ] as const)('%s passes nothing that %s does not', (strict, lenient) => {
    fc.assert(
      fc.property(pair, ([expected, actual]) => {
        if (passes({ type: strict }, expected, actual))
          expect(check({ type: lenient }, expected, actual)).toBeUndefined()
      }),
    )
  })

  it.each(['exact', 'trimmed', 'tokens', 'lines', 'sorted', 'json'] as const)('is symmetric: %s', (type) => {
    fc.assert(
      fc.property(output, output, (one, other) => {
        expect(passes({ type }, one, other)).toBe(passes({ type }, other, one))
      }),
    )
  })

  it.each(TYPES)('copes with ten megabytes of output: %s', (type) => {
    const long = '12 '.repeat(300_000)
    expect(check({ type }, `${long}a`, `${long.repeat(11)}b`)).toBeDefined()
    expect(check({ type }, 'a', ' '.repeat(10_000_000))).toBeDefined()
    expect(check({ type }, 'a', '\n'.repeat(10_000_000))).toBeDefined()
  })
})

describe('a checker', () => {
  it.each<[Checker['type'], string, string, string | undefined]>([
    ['exact', 'a\n', 'a', 'expected "a\\n", got "a"'],
    [
      'exact',
      'x'.repeat(200),
      `${'x'.repeat(150)}y`,
      `expected …"${'x'.repeat(70)}", got …"${'x'.repeat(20)}y"`,
    ],
    ['trimmed', 'a\nb\n', 'a  \nb\t\r\n\n\n', undefined],
    ['trimmed', 'a\nb', ' a\nb', 'line 1: expected "a", got " a"'],
    ['trimmed', 'a\n\nb', 'a\nb', 'line 2: expected "", got "b"'],
    ['trimmed', 'a', 'a\nb', 'line 2: expected no more, got "b"'],
    ['trimmed', 'a\nb', '', 'line 1: expected "a", got no more'],
    ['tokens', '1 2\n3', '1\n\n2 3 ', undefined],
    ['tokens', '1 2', '1 3', 'token 2: expected "2", got "3"'],
    ['tokens', '1', '1.0', 'token 1: expected "1", got "1.0"'],
    ['tokens', 'a\u00a0b', 'a b', 'token 1: expected "a\u00a0b", got "a"'],
    ['numbers', '1 0.1 yes', '1.0 0.10000000001 yes', undefined],
    ['numbers', '1', '1.001', 'token 1: expected "1", got "1.001"'],
    ['numbers', 'inf -Infinity NaN', 'Infinity -inf nan', undefined],
    ['numbers', 'inf', '5', 'token 1: expected "inf", got "5"'],
    ['numbers', '1e400', '-1e400', 'token 1: expected "1e400", got "-1e400"'],
    ['numbers', '0', 'nan', 'token 1: expected "0", got "nan"'],
    ['numbers', '1e400', 'inf', 'token 1: expected "1e400", got "inf"'],
    ['numbers', 'inf', '-inf', 'token 1: expected "inf", got "-inf"'],
    ['numbers', '1e400', '7', 'token 1: expected "1e400", got "7"'],
    ['numbers', '5', 'inf', 'token 1: expected "5", got "inf"'],
    ['numbers', '1e400', '1e500', 'token 1: expected "1e400", got "1e500"'],
    ['numbers', '1e400', '+10.e399', undefined],
    ['numbers', '+.5', '0.50', undefined],
    ['numbers', '0x10', '16', 'token 1: expected "0x10", got "16"'],
    ['numbers', '1', '1 2', 'token 2: expected no more, got "2"'],
    ['lines', 'a\nb\nb', 'b\na\nb\n', undefined],
    ['lines', 'a\n\nb\n', 'b\na\n\n', undefined],
    ['lines', 'a\nb', 'a\nb\nb', 'line that was not expected, or not as often: "b"'],
    ['lines', 'a\nb b', 'a', 'line that did not come: "b b"'],
    ['sorted', '3 1 2', '1\n2\n3', undefined],
    ['sorted', '1 1 2', '1 2 2', 'token that was not expected, or not as often: "2"'],
    ['regex', 'a+b', 'aab\n', undefined],
    ['regex', 'a', 'aa', 'expected a match of "a", got "aa"'],
    ['regex', '(', 'x', 'the expected output is not a regular expression (RE2): "("'],
    ['json', '{"a":[1,{"b":null}],"c":"é"}', ' {"c": "\\u00e9", "a": [1.0, {"b": null}]}\n', undefined],
    ['json', '[1, 2]', '[2, 1]', '$.0: expected "1e0", got "2e0"'],
    [
      'json',
      '12345678901234567890',
      '12345678901234567891',
      '$: expected "1234567890123456789e1", got "12345678901234567891e0"',
    ],
    ['json', '{"a":1}', '{"a":1,"b":2}', '$: "b" was not expected'],
    ['json', '{"a":1}', '{}', '$: "a" is missing'],
    ['json', '[]', '{}', '$: expected "a list", got "an object"'],
    ['json', '1', '"1"', '$: expected "1e0", got "\\"1\\""'],
    ['json', '1', 'one', 'the output is not JSON: "one"'],
    ['json', '{"__proto__":1}', '{"__proto__":2}', '$.__proto__: expected "1e0", got "2e0"'],
  ])('%s: %j against %j', (type, expected, actual, difference) => {
    expect(check({ type }, expected, actual)).toBe(difference)
  })

  it('of numbers applies its tolerance', () => {
    const value = fc.double({ min: -1e12, max: 1e12, noNaN: true })
    fc.assert(
      fc.property(
        value,
        value,
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (expected, actual, absolute) => {
          const near = Math.abs(expected - actual) <= absolute
          fc.pre(expected !== actual)
          expect(passes({ type: 'numbers', absolute, relative: 0 }, `${expected}`, `${actual}`)).toBe(near)
        },
      ),
    )
    expect(passes({ type: 'numbers', absolute: 0, relative: 0.01 }, '100', '101')).toBe(true)
    expect(passes({ type: 'numbers', absolute: 0, relative: 0.01 }, '100', '101.5')).toBe(false)
    const exact = { type: 'numbers', absolute: 0, relative: 0 } as const
    expect(passes(exact, '9007199254740993', '9007199254740992')).toBe(false)
    expect(passes(exact, '9007199254740993', '9007199254740993.0')).toBe(true)
    expect(passes({ ...exact, absolute: 1 }, '9007199254740993', '9007199254740992')).toBe(true)
    expect(passes(exact, '-0', '0')).toBe(true)
    expect(passes({ type: 'numbers' }, '1'.repeat(400), '9'.repeat(400))).toBe(false)
    expect(passes({ type: 'numbers' }, '1'.repeat(400), `+${'1'.repeat(400)}.0`)).toBe(true)
  })

  it('of numbers ignores the case of words only on request', () => {
    expect(passes({ type: 'numbers' }, 'YES 1', 'Yes 1')).toBe(false)
    expect(passes({ type: 'numbers', ignoreCase: true }, 'YES 1', 'Yes 1')).toBe(true)
    expect(passes({ type: 'numbers', ignoreCase: true }, 'YES', 'NO')).toBe(false)
    expect(passes({ type: 'numbers', ignoreCase: true }, 'YES', '1')).toBe(false)
  })

  it('reads almost-numbers in linear time: a slower one exceeds the timeout of this test', () => {
    const digits = '1'.repeat(1_000_000)
    for (const actual of [
      `${digits}x`,
      `${digits}.${digits}x`,
      `1e${digits}x`,
      `.${digits}.`,
      `1e${digits}`,
    ]) {
      expect(check({ type: 'numbers' }, '1', actual)).toBeDefined()
    }
    expect(check({ type: 'json' }, '1', `1e${'9'.repeat(5_000_000)}`)).toBeDefined()
  })

  it('of lines accepts them in any order', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'a b', 'c'), { minLength: 1, maxLength: 12 })
    const shuffled = lines.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, ([expected, actual]) => {
        expect(check({ type: 'lines' }, expected.join('\n'), actual.join('\n'))).toBeUndefined()
      }),
    )
  })

  it('of JSON accepts an equal document in any notation', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(
          check({ type: 'json' }, JSON.stringify(value), JSON.stringify(reversed(value), null, 2)),
        ).toBeUndefined()
      }),
    )
  })

  it('of JSON refuses documents that are nested too deeply', () => {
    const deep = (inner: string) => '['.repeat(100_000) + inner + ']'.repeat(100_000)
    expect(check({ type: 'json' }, deep('1'), deep('1'))).toBeUndefined()
    expect(check({ type: 'json' }, '1', deep('2'))).toBe('the output has over 1000 levels')
    expect(jsonProblem(deep('1'))).toBe('must have at most 1000 levels')
    const most = '['.repeat(1_000) + ']'.repeat(1_000)
    expect(jsonProblem(most)).toBeUndefined()
    expect(check({ type: 'json' }, most, `${most}\n`)).toBeUndefined()
    expect(jsonProblem(`["${'['.repeat(2_000)}"]`)).toBeUndefined()
    expect(jsonProblem(`[${'[],'.repeat(2_000)}[]]`)).toBeUndefined()
  })

  it('of JSON takes time in proportion to the number of values and names', () => {
    const many = (count: number) => `[${'{},'.repeat(count)}"]"]`
    expect(check({ type: 'json' }, '[]', many(3_000_000))).toBe('$: "0" was not expected')
    const text = JSON.stringify(`${'[,"\\'.repeat(600_000)}`)
    expect(check({ type: 'json' }, text, ` ${text}`)).toBeUndefined()
    const names = (count: number) =>
      `{${Array.from({ length: count }, (_, n) => `"${(n * 2654435761) % 2 ** 32}":0`).join()}}`
    const cpuOf = (count: number) => {
      const document = names(count)
      const before = process.cpuUsage()
      expect(check({ type: 'json' }, document, ` ${document}`)).toBeUndefined()
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    cpuOf(50_000)
    // Four times the names may take about 4 times the CPU time; quadratic growth would take 16 times.
    expect(cpuOf(400_000)).toBeLessThan(10 * cpuOf(100_000))
  })

  it('of JSON uses the last of duplicate names, however they are escaped', () => {
    expect(check({ type: 'json' }, '{"a":1,"\\u0061":2}', '{"a":9,"a":2.0}')).toBeUndefined()
    expect(check({ type: 'json' }, '{"a":1,"a":2}', '{"a":2,"a":1}')).toBe('$.a: expected "2e0", got "1e0"')
    expect(check({ type: 'json' }, '{"1":1,"b":{"":[0]}}', '{"b":{"":[1]},"1":1}')).toBe(
      '$.b..0: expected "0", got "1e0"',
    )
  })

  it('of JSON accepts exactly what JSON.parse accepts', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        '\\u00e9',
        '\\uZZ',
        '\\n',
        'a',
        '"a"',
        '"a":',
        ' ',
        '\n',
        '\t',
        '\v',
      ],
      ...[
        '0',
        '1',
        '-',
        '.',
        'e',
        '+',
        '01',
        '-0',
        '1.5e3',
        '1.',
        '.5',
        'true',
        'false',
        'null',
        'nul',
        '\u0001',
        '\ufeff',
      ],
    )
    const isJson = (text: string) => {
      try {
        JSON.parse(text)
        return true
      } catch {
        return false
      }
    }
    const broken = fc.tuple(fc.json(), fc.nat(), piece).map(([text, at, put]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + put + text.slice(place + 1)
    })
    const texts = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
      fc.json(),
      broken,
    )
    fc.assert(
      fc.property(texts, (text) => {
        expect([text, jsonProblem(text) === undefined]).toEqual([text, isJson(text)])
      }),
      { numRuns: 5_000 },
    )
  })

  it('of regular expressions matches any expression in linear time', () => {
    expect(check({ type: 'regex' }, '(a*)*b', 'a'.repeat(100_000))).toBeDefined()
  })
})

/** The same document with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}

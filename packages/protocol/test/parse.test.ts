import { describe, expect, it } from 'vitest'
import { InvalidJobError } from '../src/errors.ts'
import { parseJob } from '../src/parse.ts'
import { MAX_CODE_BYTES } from '../src/program.ts'

function refusal(input: unknown): string {
  try {
    parseJob(input)
  } catch (error) {
    if (error instanceof InvalidJobError) return error.message
    throw error
  }
  throw new Error('was accepted')
}

describe('parseJob', () => {
  it('fills in defaults', () => {
    expect(parseJob({ code: 'print(1)' })).toEqual({
      language: 'python',
      code: 'print(1)',
      cache: false,
      limits: {},
      network: 'none',
      policy: { mode: 'warn', rules: 'standard' },
      preload: false,
      stopOnFirstFailure: false,
      repeat: 1,
      reuse: 'never',
      tenant: 'default',
      priority: 0,
      replyTo: 'default',
    })
  })

  it('accepts code of exactly the maximum size, and not one byte more', () => {
    expect(parseJob({ code: 'é'.repeat(MAX_CODE_BYTES / 2) }).code).toHaveLength(MAX_CODE_BYTES / 2)
    expect(refusal({ code: `${'é'.repeat(MAX_CODE_BYTES / 2)}x` })).toMatch(/^code: must be at most 1 MiB/)
  })

  it('names every refused field in one message', () => {
    expect(refusal({ code: '', limits: { cpus: 0 }, colour: 'red' })).toMatch(
      /^Code cannot be empty; limits\.cpus: .*; colour: unknown field/,
    )
  })

  it('suggests the right name for a misspelt field', () => {
    expect(refusal({ code: 'x', input_data: 1 })).toBe('input_data: unknown field; did you mean "inputData"?')
    expect(refusal({ code: 'x', limits: { memoryMB: 1 } })).toBe(
      'limits.memoryMB: unknown field; did you mean "memoryMb"?',
    )
    expect(refusal({ code: 'x', tests: [{ expect: '1' }] })).toBe(
      'tests.0.expect: unknown field; did you mean "expected"?',
    )
  })

  it('shows refused keys without their control characters', () => {
    const message = refusal({ code: 'x', tests: [{ limits: { diskMb: 5 } }] })
    expect(message).toMatch(
      /^tests\.0\.limits\.diskMb: unknown field; the fields are (?!.*diskMb)timeoutSeconds, /,
    )
    expect(refusal({ code: 'x', 'a\u001b[2J': 1 })).toMatch(/^a\\u001b\[2J: unknown field/)
  })

  it.each([
    [{ code: 'x', sessionId: 's' }, /^sessionId: /],
    [{ code: 'x', tests: [{ script: 'x' }, {}] }, /^tests: all of them have a script/],
    [{ code: 'x', tests: [{ script: 'x', expected: 'y' }] }, /^tests: script goes with no/],
    [{ code: 'x', tests: [{}], network: 'open' }, /^tests: allow no network/],
    [{ code: 'x', stopOnFirstFailure: true }, /^stopOnFirstFailure: needs tests/],
    [{ code: 'x', tests: [{ args: ['a', 'b\0'] }] }, /^tests\.0\.args\.1: must have no NUL/],
    [
      { code: 'x', tests: [{ args: Array.from({ length: 64 }, () => 'é'.repeat(1025)) }] },
      /^tests\.0\.args: must be at most 128 KiB together, got a list of 64/,
    ],
    [{ code: 'x', repeat: 0 }, /^repeat: .*from 1 to 20/],
    [{ code: 'x', repeat: 2, network: 'pypi' }, /^repeat: allows no network/],
    [
      { code: 'x', repeat: 20, tests: Array.from({ length: 51 }, () => ({})) },
      /^repeat: must leave at most 1000 runs/,
    ],
    [{ code: 'x', reuse: 'batch' }, /^reuse: "batch" needs a batchId/],
    [{ code: 'x', reuse: 'batch', batchId: 'b', network: 'open' }, /^reuse: "batch" allows no network/],
  ])('refuses fields that this release cannot honour instead of ignoring them: %j', (job, sentence) => {
    expect(refusal(job)).toMatch(sentence)
  })

  it.each([
    'https://example.org',
    'http://example.org:8080/a?b=c#d',
    'https://[2606:4700::1111]/',
    'https://bücher.example/',
  ])('takes the callback URL %s', (callbackUrl) => {
    expect(parseJob({ code: 'x', callbackUrl }).callbackUrl).toBe(callbackUrl)
  })

  it.each([
    ['ftp://example.org/', /^callbackUrl: must be an http or https URL/],
    ['file:///etc/passwd', /^callbackUrl: must be an http or https URL/],
    ['//example.org/', /^callbackUrl: must be an http or https URL/],
    ['https://', /^callbackUrl: must be an http or https URL/],
    ['https://exa mple.org/', /^callbackUrl: must be an http or https URL/],
    ['https://a:b@example.org/', /^callbackUrl: must have no user and password/],
    ['https://a@example.org/', /^callbackUrl: must have no user and password/],
    ['http://example.org:0/', /^callbackUrl: must have a port from 1 to 65535/],
    ['http://example.org:65536/', /^callbackUrl: must be an http or https URL/],
    ['http://256.256.256.256/', /^callbackUrl: must be an http or https URL/],
    [`https://example.org/${'a'.repeat(2048)}`, /^callbackUrl: must be at most 2048 characters/],
    [7, /^callbackUrl: must be an http or https URL/],
  ])('refuses the callback URL %s', (callbackUrl, sentence) => {
    expect(refusal({ code: 'x', callbackUrl })).toMatch(sentence)
  })

  it('does not mistake a __proto__ key for a prototype', () => {
    const input: unknown = JSON.parse('{"code":"x","__proto__":{"tenant":"evil"}}')
    expect(refusal(input)).toMatch(/__proto__: unknown field/)
    const files: unknown = JSON.parse('{"code":"x","files":{"__proto__":{"content":"x"}}}')
    expect(refusal(files)).toBe('files: must have no "__proto__", got an object of 1 fields')
  })

  it('accepts input that is nested 100 deep, and refuses deeper nesting and cycles', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
    expect(parseJob({ code: 'x', inputData: nested(100) }).inputData).toEqual(nested(100))
    expect(refusal({ code: 'x', inputData: nested(101) })).toMatch(/^inputData: .* nested at most 100 deep/)
    const cycle: unknown[] = []
    cycle.push(cycle)
    expect(refusal({ code: 'x', inputData: cycle })).toMatch(/^inputData: /)
  })

  it.each<[string, unknown]>([
    ['a proxy', new Proxy({}, { ownKeys: raise })],
    ['a proxy in a field', { code: new Proxy({}, { ownKeys: raise }) }],
    ['a proxy in the input', { code: 'x', inputData: new Proxy({}, { getPrototypeOf: raise }) }],
    ['a getter', Object.defineProperty({}, 'code', { get: raise, enumerable: true })],
  ])('survives %s that throws while it is read', (_, input) => {
    expect(refusal(input)).toMatch(/cannot be read/)
  })

  it('reports what a getter throws in a short printable line', () => {
    const throwing = (thrown: unknown) => new Proxy({}, { get: () => raise(thrown) })
    expect(refusal(throwing(new Error(`\u001b[31m\u009b${'x'.repeat(1_000)}`)))).toMatch(
      /^job: cannot be read \(\\u001b\[31m\\x9bx{194}…\)$/,
    )
    expect(refusal(throwing(Object.create(null)))).toBe('job: cannot be read (no reason given)')
  })

  it('does not repeat large numbers, control characters and bidi marks in messages', () => {
    expect(refusal({ code: 10n ** 1_000n })).toBe('code: must be text, got a bigint')
    expect(refusal({ code: 'x', language: '\u009b2J\u202e\u{e0001}' })).toMatch(
      /got "\\x9b2J\\u\{202e\}\\u\{e0001\}"$/,
    )
    expect(refusal({ code: 'x', '\u009b': 1 })).toMatch(/^\\x9b: unknown field/)
  })

  it('stops reading at a maximum, however many fields a value claims to have', () => {
    const endless = Array(4_000_000_000)
    expect(refusal({ code: 'x', inputData: endless })).toMatch(/^inputData: must be at most 1 MiB as JSON/)
    expect(refusal({ code: 'x', tests: endless })).toMatch(/^tests: must be at most 1000 tests/)
    const doubled = Array.from({ length: 90 }).reduce<unknown>((inner) => [inner, inner], 1)
    expect(refusal({ code: 'x', inputData: doubled })).toMatch(/^inputData: must be at most 1 MiB as JSON/)
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`/${index}`, 0]))
    expect(refusal({ code: 'x', files: many })).toBe(
      'files: must be at most 64 files, got an object of 65 fields',
    )
  })

  it.each([
    ['files', 'must be an object of path to file'],
    ['labels', 'must be an object of texts'],
  ])('refuses text, a list or null for %s', (field, rule) => {
    for (const [given, shown] of [
      ['é'.repeat(600_000), 'text of 600000 characters'],
      [[], 'a list of 0'],
      [null, 'null'],
    ])
      expect(refusal({ code: 'x', [field]: given })).toBe(`${field}: ${rule}, got ${shown}`)
  })

  it('copies the input once, reduced to what JSON can express', () => {
    const given = { list: Object.assign([-0], { toJSON: () => 'other' }), [Symbol()]: 1 }
    const { inputData, priority } = parseJob({ code: 'x', inputData: given, priority: -0 })
    expect({ inputData, priority }).toEqual({ inputData: { list: [0] }, priority: 0 })
    expect(inputData).not.toBe(given)
  })
})

function raise(thrown: unknown = new Error('gotcha')): never {
  throw thrown
}

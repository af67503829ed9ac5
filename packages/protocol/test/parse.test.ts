import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidJobError } from '../src/errors.ts'
import { MAX_CODE_BYTES } from '../src/job.ts'
import { parseJob } from '../src/parse.ts'

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
  it('fills in what was left out', () => {
    expect(parseJob({ code: 'print(1)' })).toEqual({
      language: 'python',
      code: 'print(1)',
      limits: {},
      network: 'none',
      policy: { mode: 'warn', rules: 'standard' },
      preload: false,
      reuse: 'never',
      tenant: 'default',
      priority: 0,
      replyTo: 'default',
    })
  })

  it('takes code of exactly the largest size, and not one byte more', () => {
    expect(parseJob({ code: 'é'.repeat(MAX_CODE_BYTES / 2) }).code).toHaveLength(MAX_CODE_BYTES / 2)
    expect(refusal({ code: `${'é'.repeat(MAX_CODE_BYTES / 2)}x` })).toMatch(/^code: must be at most 1 MiB/)
  })

  it('names every refused field in one message', () => {
    expect(refusal({ code: '', limits: { cpus: 0 }, colour: 'red' })).toMatch(
      /^Code cannot be empty; limits\.cpus: .*; colour: unknown field/,
    )
  })

  it('shows refused keys without their control characters', () => {
    expect(refusal({ code: 'x', 'a\u001b[2J': 1 })).toMatch(/^a\\u001b\[2J: unknown field/)
  })

  it.each([
    [{ code: 'x', sessionId: 's' }, /^sessionId: /],
    [{ code: 'x', tests: [{}] }, /^tests: /],
    [{ code: 'x', preload: true }, /^preload: /],
    [{ code: 'x', reuse: 'batch' }, /^reuse: /],
    [{ code: 'x', callbackUrl: 'https://example.org/' }, /^callbackUrl: /],
  ])('refuses what this release cannot keep rather than ignore it: %j', (job, sentence) => {
    expect(refusal(job)).toMatch(sentence)
  })

  it('does not mistake a __proto__ key for a prototype', () => {
    const input: unknown = JSON.parse('{"code":"x","__proto__":{"tenant":"evil"}}')
    expect(refusal(input)).toMatch(/__proto__: unknown field/)
    const files: unknown = JSON.parse('{"code":"x","files":{"__proto__":{"content":"x"}}}')
    expect(refusal(files)).toBe('files: must have no "__proto__", got an object of 1 fields')
  })

  it('throws nothing but its own error, whatever it is given', () => {
    const field = fc.constantFrom(
      'code',
      'language',
      'files',
      'stdin',
      'inputData',
      'limits',
      'tests',
      'labels',
      'policy',
      'tenant',
      'x',
    )
    const anything = fc.oneof(fc.anything(), fc.dictionary(field, fc.anything(), { maxKeys: 5 }))
    fc.assert(
      fc.property(anything, (input) => {
        try {
          parseJob(input)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidJobError)
        }
      }),
      { numRuns: 10_000 },
    )
  }, 60_000)

  it('takes input that is nested 100 deep, and neither deeper nor a cycle', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
    expect(parseJob({ code: 'x', inputData: nested(100) }).inputData).toEqual(nested(100))
    expect(refusal({ code: 'x', inputData: nested(101) })).toMatch(/^inputData: .* nested at most 100 deep/)
    const cycle: unknown[] = []
    cycle.push(cycle)
    expect(refusal({ code: 'x', inputData: cycle })).toMatch(/^inputData: /)
  })

  it('survives objects that throw while they are read', () => {
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('gotcha')
        },
      },
    )
    expect(refusal(hostile)).toMatch(/^job: /)
  })
})

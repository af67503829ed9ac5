import { DEFAULT_LIMITS, parseJob, resultSchema } from '@isopod/protocol'
import type { Execution, StreamOutput } from '@isopod/sandbox'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PYTHON } from '../../../../test/support/python-language.ts'
import { sampleOutcome } from '../../../../test/support/samples.ts'
import { resultOf } from '../../src/jobs/result.ts'

const execution: Execution = { id: 'j-1', attempt: 1, language: PYTHON, code: 'x', limits: DEFAULT_LIMITS }

function stream(bytes: Uint8Array, produced = bytes.byteLength): StreamOutput {
  return { bytes, produced, truncated: produced > bytes.byteLength }
}

function result(stdout: StreamOutput) {
  const outcome = sampleOutcome({ stdout })
  const context = {
    id: 'j-1',
    attempt: 1,
    workerId: 'w',
    job: parseJob({ code: 'x', labels: { a: 'b' } }),
    queuedMs: 1,
    decision: {
      policy: { mode: 'warn', rules: 'standard' } as const,
      checked: true,
      problems: [],
      warnings: ['policy: x'],
      findings: [],
    },
    policyMs: 1,
    acquireMs: 2,
  }
  return resultOf(outcome, execution, context)
}

describe('the output in a result', () => {
  it('is text without a raw copy if its bytes are UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const made = result(stream(Buffer.from(text)))
        expect(made.stdout).toBe(text)
        expect(made.raw).toBeUndefined()
      }),
    )
  })

  it('comes with the policy’s warnings', () => {
    expect(result(stream(new Uint8Array()))).toMatchObject({
      policy: { mode: 'warn', rules: 'standard', checked: true },
      warnings: ['policy: x'],
    })
  })

  it('keeps a byte order mark', () => {
    expect(result(stream(Buffer.from('\ufeffx'))).stdout).toBe('\ufeffx')
  })

  it('has a base64 copy of bytes that are not UTF-8', () => {
    const bytes = Buffer.from([0x61, 0xff])
    const made = result(stream(bytes))
    expect(made.stdout).toBe('a\ufffd')
    expect(Buffer.from(made.raw?.stdout ?? '', 'base64')).toEqual(bytes)
  })

  it('omits a character that the limit cut in half', () => {
    const bytes = Buffer.from('a€')
    for (const cut of [2, 3]) {
      const made = result(stream(bytes.subarray(0, cut), bytes.byteLength))
      expect(made.stdout).toBe('a')
      expect(made.raw).toBeUndefined()
      expect(made.truncated.stdout).toBe(true)
    }
    expect(result(stream(bytes, 10)).stdout).toBe('a€')
  })
})

it('a result has the shape of the protocol and carries the job’s labels and batch', () => {
  const made = result(stream(Buffer.from('x')))
  expect(resultSchema.parse(made)).toEqual(made)
  expect(made).toMatchObject({ labels: { a: 'b' }, tenant: 'default', language: 'python@3.13' })
})

it('a result cuts output whose JSON would be enormous, and says so', () => {
  const size = 10 * 1024 * 1024
  const made = result(stream(Buffer.alloc(size, 1)))
  expect(Buffer.byteLength(JSON.stringify(made.stdout))).toBeLessThanOrEqual(12 * 1024 * 1024 + 2)
  expect(made).toMatchObject({ truncated: { stdout: true }, outputBytes: { stdout: size } })
  expect(result(stream(Buffer.alloc(size, 'x')))).toMatchObject({ truncated: { stdout: false } })
  const binary = result(stream(Buffer.alloc(size, 255)))
  expect(Buffer.byteLength(JSON.stringify(binary))).toBeLessThan(20 * 1024 * 1024)
  expect(binary.truncated.stdout).toBe(true)
})

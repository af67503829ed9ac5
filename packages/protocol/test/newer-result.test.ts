import { describe, expect, it } from 'vitest'
import { sampleFullResult } from '../../../test/support/samples.ts'
import { documentedStatus, knownStatus, liveEventSchema, resultSchema } from '../src/index.ts'

const FULL = sampleFullResult()

/** Objects whose keys are names that the program or the producer chose. */
const FREE = ['files', 'labels']

/** The value with a field that this release does not know in each object, at every depth. */
function withNewFields(value: unknown, isFree = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withNewFields(item))
  if (typeof value !== 'object' || value === null) return value
  const known = Object.entries(value).map(([name, field]) => [
    name,
    withNewFields(field, FREE.includes(name)),
  ])
  return { ...Object.fromEntries(known), ...(!isFree && { fieldOfANewerWorker: { deep: [1] } }) }
}

describe('a result of a newer worker', () => {
  it('is read without the fields that this release does not know, at every depth', () => {
    expect(resultSchema.parse(FULL)).toEqual(FULL)
    expect(resultSchema.parse(withNewFields(FULL))).toEqual(FULL)
  })

  it('keeps statuses, limits, verdicts and other words that this release does not know', () => {
    const newer = {
      ...FULL,
      status: 'paused',
      limit: 'energy',
      containerOrigin: 'snapshot',
      policy: { mode: 'ask', rules: 'paranoid', checked: true },
      tests: [{ ...FULL.tests?.[0], verdict: 'partly_passed' }],
      summary: { ...FULL.summary, status: 'paused' },
      limitsApplied: { ...FULL.limitsApplied, outside: { limits: ['energy'], source: 'hypervisor' } },
    }
    expect(resultSchema.parse(newer)).toEqual(newer)
    const event = { type: 'test', index: 0, name: '1', verdict: 'partly_passed' }
    expect(liveEventSchema.parse(event)).toEqual(event)
  })

  it.each([
    [true, 'execution_error', 'execution_error'],
    [false, 'setup_error', 'setup_error'],
  ])('blames the program for an unknown status if attributable is %s', (attributable, known, documented) => {
    expect(knownStatus({ status: 'paused', attributable })).toBe(known)
    expect(documentedStatus({ status: 'paused', attributable })).toBe(documented)
    expect(knownStatus({ status: 'timeout', attributable })).toBe('timeout')
  })

  it('is refused if it is no result', () => {
    expect(resultSchema.safeParse({ ...FULL, status: 7 }).success).toBe(false)
    expect(resultSchema.safeParse({ ...FULL, attributable: undefined }).success).toBe(false)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { InvalidJobError } from '../../src/errors.ts'
import { fileBytes, isSafePath, MAX_FILES, MAX_FILES_BYTES } from '../../src/files.ts'
import { type Job, MAX_INPUT_BYTES } from '../../src/job.ts'
import { resolveLimits } from '../../src/limits.ts'
import { parseJob } from '../../src/parse.ts'
import { MAX_CODE_BYTES } from '../../src/program.ts'
import { utf8Bytes } from '../../src/schema.ts'
import { LIMIT_RANGES } from '../limit-ranges.ts'
import { hostile } from './hostile.ts'
import { boundaryJob, mutatedJob, validJob } from './jobs.ts'

/** CPU time, far above what any input needs; a value that expands exponentially exceeds it. */
const MAX_MS = 2_000
const MAX_MESSAGE_CHARACTERS = 20_000
/** Characters that move a cursor, or hide or reverse text. */
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns the parsed job, or undefined if it was refused in a valid way; anything else fails the test. */
function parsed(input: unknown): Job | undefined {
  const started = cpuMs()
  try {
    return parseJob(input)
  } catch (error) {
    if (!(error instanceof InvalidJobError)) throw error
    expect(error.message.length).toBeLessThan(MAX_MESSAGE_CHARACTERS)
    expect(error.message).not.toMatch(CONTROL)
    expect(error.problems.length).toBeGreaterThan(0)
    return undefined
  } finally {
    expect(cpuMs() - started).toBeLessThan(MAX_MS)
  }
}

function within(value: number, [min, max]: readonly [number, number]): boolean {
  return value >= min && value <= max && !Object.is(value, -0)
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

/** Checks properties of a parsed job that other packages rely on. */
function expectSound(job: Job): void {
  expect(utf8Bytes(job.code)).toBeLessThanOrEqual(MAX_CODE_BYTES)
  expect(job.code).not.toBe('')
  expect(utf8Bytes(job.stdin ?? '')).toBeLessThanOrEqual(MAX_INPUT_BYTES)
  const { onOverflow, cpuSeconds, ...numbers } = resolveLimits(job.limits)
  expect(['truncate', 'kill']).toContain(onOverflow)
  expect(cpuSeconds === null || within(cpuSeconds, LIMIT_RANGES.cpuSeconds)).toBe(true)
  for (const name of Object.keys(numbers) as (keyof typeof numbers)[]) {
    expect(within(numbers[name], LIMIT_RANGES[name]), `${name}: ${numbers[name]}`).toBe(true)
  }
  expect(within(job.priority, [0, 1000]) && Number.isInteger(job.priority)).toBe(true)
  for (const named of [job.tenant, job.replyTo, job.network, job.batchId ?? 'x']) {
    expect(named).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)
  }
  expectSoundFiles(job)
  for (const [name, text] of Object.entries(job.labels ?? {})) {
    expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
    expect(utf8Bytes(text)).toBeLessThanOrEqual(256)
  }
  expect(Object.keys(job.labels ?? {}).length).toBeLessThanOrEqual(16)
  if (job.inputData !== undefined) {
    expect(utf8Bytes(JSON.stringify(job.inputData))).toBeLessThanOrEqual(MAX_INPUT_BYTES)
    expect(depthOf(job.inputData)).toBeLessThanOrEqual(100)
  }
}

function expectSoundFiles({ files = {} }: Job): void {
  const sizes = Object.values(files).map(({ content, encoding }) => Buffer.from(content, encoding).byteLength)
  expect(Object.values(files).map(fileBytes)).toEqual(sizes)
  expect(sizes.length).toBeLessThanOrEqual(MAX_FILES)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_FILES_BYTES)
  for (const path of Object.keys(files)) {
    expect(isSafePath(path)).toBe(true)
    expect(path).not.toMatch(/^\/|(^|\/)\.{0,2}(\/|$)|[\p{Cc}\\]/u)
  }
}

/** Serializes the job as a producer does, and parses it again as a worker does. */
function expectStable(job: Job): void {
  const read: unknown = JSON.parse(JSON.stringify(job))
  expect(read).toEqual(job)
  expect(parseJob(read)).toEqual(job)
  expect(parseJob(job)).toEqual(job)
}

function check(input: unknown): boolean {
  const job = parsed(input)
  expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  expect(Object.hasOwn(Object.prototype, 'code')).toBe(false)
  if (job === undefined) return false
  expectSound(job)
  expectStable(job)
  return true
}

describe('parseJob, on 5,000 inputs', () => {
  it('accepts each valid job', () => {
    const property = fc.property(validJob, (job) => {
      expect(check(job)).toBe(true)
    })
    fc.assert(property, { numRuns: 500 })
  })

  it(
    'refuses any value with its own error, whose message is short and printable',
    () => {
      const property = fc.property(hostile, (make) => {
        check(make())
      })
      fc.assert(property, { numRuns: 1_000 })
    },
    scaled(60_000),
  )

  it(
    'accepts or refuses a valid job with one hostile value',
    () => {
      const property = fc.property(mutatedJob, (make) => {
        check(make())
      })
      fc.assert(property, { numRuns: 2_000 })
    },
    scaled(120_000),
  )

  it(
    'accepts no value beyond a limit, and does not change accepted ones',
    () => {
      let passed = 0
      const property = fc.property(boundaryJob, (job) => {
        if (check(job)) passed++
      })
      fc.assert(property, { numRuns: 1_500 })
      // Enough jobs must be accepted for the test to mean something.
      expect(passed).toBeGreaterThan(150)
    },
    scaled(120_000),
  )
})

import { z } from 'zod'
import { filesSchema } from './files.ts'
import { limitsSchema } from './limits.ts'
import { fields, listOf, nameUpTo, numberBetween, oneOf, textUpTo } from './schema.ts'
import { STATUSES } from './status.ts'

const MIB = 1024 * 1024

/** How a test's output is compared with what was expected. */
export const checkerSchema = oneOf([
  'exact',
  'trimmed',
  'tokens',
  'numbers',
  'lines',
  'sorted',
  'regex',
  'json',
])

/** One test of a job that has many: its input, what it should print, what it is worth. */
export const testCaseSchema = fields({
  name: nameUpTo(64).optional(),
  stdin: textUpTo(MIB).optional(),
  args: listOf(textUpTo(4096), 64, {
    list: 'must be a list of texts',
    most: 'must be at most 64 arguments',
  }).optional(),
  files: filesSchema.optional(),
  /** Expected stdout. It never enters the container. */
  expected: textUpTo(MIB).optional(),
  checker: checkerSchema.default('trimmed'),
  weight: numberBetween(0, 1000).default(1),
  limits: limitsSchema.optional(),
})

/** One test of a job. */
export type TestCase = z.infer<typeof testCaseSchema>

/** How one test was judged. */
export const VERDICTS = [
  'passed',
  'wrong_answer',
  'timeout',
  'memory_exceeded',
  'runtime_error',
  'output_exceeded',
  'skipped',
] as const

/** How one test was judged. */
export type Verdict = (typeof VERDICTS)[number]

/** The judged outcome of one test. */
export const testResultSchema = z.strictObject({
  name: z.string(),
  verdict: z.enum(VERDICTS),
  wallMs: z.number(),
  memoryPeakBytes: z.number().nullable(),
  /** A bounded difference between expected and actual output. */
  diff: z.string().nullable(),
})

/** What all tests of a job came to. */
export const testSummarySchema = z.strictObject({
  passed: z.number(),
  total: z.number(),
  /** Weighted share of passed tests, 0 to 1. */
  score: z.number(),
  /** The worst thing that happened, as a status of the whole. */
  status: z.enum(STATUSES),
})

/** Most tests that one job may carry. */
export const MAX_TESTS = 1000

/** The tests of one job. */
export const testsSchema = listOf(testCaseSchema, MAX_TESTS, {
  list: 'must be a list of tests',
  most: `must be at most ${MAX_TESTS} tests`,
}).refine((tests) => tests.length > 0, { error: 'must be at least one test' })

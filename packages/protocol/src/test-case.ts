import { z } from 'zod'
import { checkerSchema } from './checker.ts'
import { filesBytes, filesSchema } from './files.ts'
import { argumentsSchema } from './invocation.ts'
import { limitsSchema } from './limits.ts'
import { languageName, programText } from './program.ts'
import { fields, listOf, nameUpTo, numberBetween, sizeText, textUpTo, utf8Bytes } from './schema.ts'
import { STATUSES } from './status.ts'

const MIB = 1024 * 1024

/** Limits that can differ from test to test: those of a run, and those that a container can be given while it is there. */
export const testLimitsSchema = fields(limitsOfTests())

function limitsOfTests() {
  const { diskMb: _disk, openFiles: _files, jobSeconds: _job, ...others } = limitsSchema.shape
  return others
}

/** One test of a job that has many: its input, what it should print, what it is worth. */
export const testCaseSchema = fields({
  /** @default its number, from 1 */
  name: nameUpTo(64).optional(),
  /** @default the job's */
  stdin: textUpTo(MIB).optional(),
  /** In place of the job's arguments; an empty list is none. @default the job's */
  args: argumentsSchema.optional(),
  /** Laid beside the job's own files for this test alone. */
  files: filesSchema.optional(),
  /** Expected stdout. It never enters the container. @default any output will do */
  expected: textUpTo(MIB).optional(),
  checker: checkerSchema.default('trimmed'),
  /**
   * Assertions in the job's language, run behind the job's code as one program. It passes if it ends with exit code 0 and
   * came to its end.
   */
  script: programText().optional(),
  /**
   * Talks with the program: what either prints the other reads. It runs in a container of its own, where it finds the files
   * `input`, which is the test's stdin, and `expected`. Exit code 42 accepts, 43 refuses, and what it prints on stderr says why.
   */
  interactor: fields({ language: languageName, code: programText() }).optional(),
  weight: numberBetween(0, 1000).default(1),
  /** @default the job's, each */
  limits: testLimitsSchema.optional(),
})

/** One test of a job. */
export type TestCase = z.output<typeof testCaseSchema>

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
export const testResultSchema = z.object({
  /** The test's own, or its number from 1. */
  name: z.string(),
  verdict: z.enum(VERDICTS),
  /** Null when a signal ended the program or none ran. */
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  /** Milliseconds; null if it was skipped, like the others. */
  wallMs: z.number().nullable(),
  cpuMs: z.number().nullable(),
  memoryPeakBytes: z.number().nullable(),
  /** Where expected and actual output differ, or how a program ended that did not pass; a few hundred characters. */
  diff: z.string().nullable(),
  /** It did not end the same way each time that it ran; absent if it did. See a job's `repeat`. */
  flaky: z.literal(true).optional(),
  /** Why the program looks as if it was written to pass without doing what is asked. Absent if it does not. */
  suspicious: z.string().optional(),
})

/** The judged outcome of one test. */
export type TestResult = z.infer<typeof testResultSchema>

/** What all tests of a job came to. */
export const testSummarySchema = z.object({
  passed: z.number(),
  total: z.number(),
  /** Weighted share of passed tests, 0 to 1. */
  score: z.number(),
  /** How the first run ended that did not end well; `success` if each did, right answer or not. */
  status: z.enum(STATUSES),
  /** Tests that are flaky; absent if none is. */
  flaky: z.number().optional(),
})

/** What all tests of a job came to. */
export type TestSummary = z.infer<typeof testSummarySchema>

/** Most tests that one job may carry, and most runs that it may make of them. */
export const MAX_TESTS = 1000
/** Most bytes that the texts and files of all tests of a job may have. */
export const MAX_TESTS_BYTES = 16 * MIB

/** The tests of one job. */
export const testsSchema = listOf(testCaseSchema, MAX_TESTS, {
  list: 'must be a list of tests',
  most: `must be at most ${MAX_TESTS} tests`,
})
  .refine((tests) => tests.length > 0, { error: 'must be at least one test' })
  .refine((tests) => tests.reduce((sum, test) => sum + testBytes(test), 0) <= MAX_TESTS_BYTES, {
    error: `must be at most ${sizeText(MAX_TESTS_BYTES)} together`,
  })

/** What a test takes on its way, in bytes. */
function testBytes(test: TestCase): number {
  const { stdin = '', expected = '', script = '', args = [], files = {}, checker, interactor } = test
  const program = typeof checker === 'object' && checker.type === 'program' ? checker.code : ''
  return [stdin, expected, script, program, interactor?.code ?? '', ...args].reduce(
    (sum, text) => sum + utf8Bytes(text),
    filesBytes(files),
  )
}

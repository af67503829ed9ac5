import { z } from 'zod'
import { checkerSchema } from './checker.ts'
import { filesBytes, filesSchema } from './files.ts'
import { argumentsSchema } from './invocation.ts'
import { limitFields } from './limits.ts'
import { languageName, programText } from './program.ts'
import { fields, listOf, nameUpTo, numberBetween, openList, sizeText, textUpTo, utf8Bytes } from './schema.ts'
import { SEPARATIONS } from './script.ts'
import { STATUSES, type Status } from './status.ts'

const MIB = 1024 * 1024

/** Limits that test cases can set: those of a run, and those that can change while a container exists. */
export const testLimitsSchema = fields(limitFields('run', 'container'))

/** Schema of {@link TestCase}. */
export const testCaseSchema = fields({
  /** @default the test case's number, from 1 */
  name: nameUpTo(64).optional(),
  /** @default the job's */
  stdin: textUpTo(MIB).optional(),
  /** Replaces the job's arguments; an empty list means none. @default the job's */
  args: argumentsSchema.optional(),
  /** Written beside the job's own files, for this test case only. */
  files: filesSchema.optional(),
  /** Expected stdout. It never enters the container. @default any output passes */
  expected: textUpTo(MIB).optional(),
  checker: checkerSchema.default('trimmed'),
  /**
   * Assertions in the job's language about the names that the job's code defines. It passes if it reaches its end. See
   * `separation` of a job.
   */
  script: programText().optional(),
  /**
   * A program that is connected to the job's program: each reads what the other prints. It runs in its own container with
   * the files `input`, which has the stdin of the test case, and `expected`. Exit code 42 accepts, 43 rejects, with the
   * reason on stderr; any other is a failure of the interactor, and twice the verdict `judge_error`.
   */
  interactor: fields({ language: languageName, code: programText() }).optional(),
  weight: numberBetween(0, 1000).default(1),
  /** Each limit defaults to the job's. */
  limits: testLimitsSchema.optional(),
})

/** One test case of a job: its input, the expected output, its weight. */
export type TestCase = z.output<typeof testCaseSchema>

/** All verdicts. `judge_error`: what judges failed, or could not start; it says nothing about the program. */
export const VERDICTS = [
  'passed',
  'wrong_answer',
  'timeout',
  'memory_exceeded',
  'runtime_error',
  'output_exceeded',
  'judge_error',
  'unverified',
  'skipped',
] as const

/** The verdict of one test case. */
export type Verdict = (typeof VERDICTS)[number]

/** The verdict, or undefined for one that only a newer release knows. */
export function knownVerdict(verdict: string): Verdict | undefined {
  return VERDICTS.find((known) => known === verdict)
}

/** Schema of a {@link TestResult}, whose verdict may be of a newer release. */
export const testResultSchema = z.object({
  /** The name of the test case, or its number from 1. */
  name: z.string(),
  verdict: openList(VERDICTS),
  /** Null if a signal ended the program or no program ran. */
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  /** Milliseconds; null, like the other measurements, if the test case was skipped. */
  wallMs: z.number().nullable(),
  cpuMs: z.number().nullable(),
  memoryPeakBytes: z.number().nullable(),
  /** The difference between expected and actual output, or how the program ended; a few hundred characters. */
  diff: z.string().nullable(),
  /**
   * Whether the script ran in a process of its own, out of the code's reach (`process`), in that of the code (`none`), or in one
   * after the other (`both`); absent for test cases without a script.
   */
  separation: openList(SEPARATIONS).optional(),
  /** Repeated runs ended differently; absent otherwise. See `repeat` of a job. */
  flaky: z.literal(true).optional(),
  /** Why the program seems to pass without solving the task; absent otherwise. */
  suspicious: z.string().optional(),
})

/** The result of one test case, as this release makes it. */
export type TestResult = z.infer<typeof testResultSchema> & { readonly verdict: Verdict }

/** Schema of a {@link TestSummary}, whose status may be of a newer release. */
export const testSummarySchema = z.object({
  passed: z.number(),
  total: z.number(),
  /** Weighted share of passed test cases, 0 to 1. */
  score: z.number(),
  /** Status of the first run that did not succeed; `success` if all runs succeeded, whatever their verdict. */
  status: openList(STATUSES),
  /** Number of flaky test cases; absent if there are none. */
  flaky: z.number().optional(),
  /** Number of test cases with the verdict `judge_error`, which never count as passed; absent if there are none. */
  judgeErrors: z.number().optional(),
})

/** Summary of all test cases of a job, as this release makes it. */
export type TestSummary = z.infer<typeof testSummarySchema> & { readonly status: Status }

/** Maximum number of test cases of one job, and of their runs. */
export const MAX_TESTS = 1000
/** Maximum total size of the texts and files of all test cases of a job, in bytes. */
export const MAX_TESTS_BYTES = 16 * MIB

/** The test cases of one job. */
export const testsSchema = listOf(testCaseSchema, MAX_TESTS, {
  list: 'must be a list of tests',
  max: `must be at most ${MAX_TESTS} tests`,
})
  .refine((tests) => tests.length > 0, { error: 'must be at least one test' })
  .refine((tests) => tests.reduce((sum, test) => sum + testBytes(test), 0) <= MAX_TESTS_BYTES, {
    error: `must be at most ${sizeText(MAX_TESTS_BYTES)} together`,
  })

/** Size of the texts and files of a test case, in bytes. */
function testBytes(test: TestCase): number {
  const { stdin = '', expected = '', script = '', args = [], files = {}, checker, interactor } = test
  const program = typeof checker === 'object' && checker.type === 'program' ? checker.code : ''
  return [stdin, expected, script, program, interactor?.code ?? '', ...args].reduce(
    (sum, text) => sum + utf8Bytes(text),
    filesBytes(files),
  )
}

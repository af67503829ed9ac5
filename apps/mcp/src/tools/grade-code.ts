import {
  documentedExitCode,
  documentedStatus,
  InvalidJobError,
  MAX_TESTS,
  NAMED_CHECKERS,
  openList,
  type Result,
  VERDICTS,
} from '@isopod/protocol'
import { z } from 'zod'
import { runJob } from '../run-job.ts'
import { answer, inSeconds } from './answer.ts'
import {
  argumentsSchemaOf,
  inArgumentNames,
  isolationArgument,
  parseArguments,
  publishedSchema,
  textArgument,
  timeoutArgument,
} from './arguments.ts'
import type { Tool } from './tool.ts'

const CHECKER_RULE = `must be one of ${NAMED_CHECKERS.join(', ')}, or an object {type: "numbers", absolute, relative, ignoreCase} or {type: "program", language, code}`

const number = z.number({ error: 'must be a number' })

const checker = z
  .union(
    [
      z.enum(NAMED_CHECKERS),
      z.strictObject({
        type: z.literal('numbers'),
        absolute: number.optional(),
        relative: number.optional(),
        ignoreCase: z.boolean().optional(),
      }),
      z.strictObject({ type: z.literal('program'), language: z.string(), code: z.string() }),
    ],
    { error: CHECKER_RULE },
  )
  .describe('How stdout is compared with expected. Default: trimmed.')

const testCase = argumentsSchemaOf({
  name: textArgument('Default: the number of the test, from 1.').optional(),
  stdin: textArgument('Standard input of the program.').optional(),
  args: z
    .array(z.string({ error: 'must be text' }), { error: 'must be a list of texts' })
    .describe('Command-line arguments.')
    .optional(),
  expected: textArgument('Expected stdout. Default: any output passes.').optional(),
  checker: checker.optional(),
  script: textArgument(
    'Assertions in the language of the code, appended to it as one program. Either all tests have a script, or none.',
  ).optional(),
  weight: number.describe('Weight in the score. Default: 1.').optional(),
})

const input = argumentsSchemaOf({
  language: textArgument('The programming language of the code. list_languages names them all.'),
  code: textArgument('The source code to be graded.'),
  tests: z
    .array(testCase, { error: 'must be a list of tests' })
    .min(1, { error: 'must be at least one test' })
    .max(MAX_TESTS, { error: `must be at most ${MAX_TESTS} tests` })
    .describe('The test cases. Each runs separately and gets its own verdict.'),
  timeout: timeoutArgument.describe('Maximum execution time of each test in seconds.'),
  isolation: isolationArgument,
  stop_on_first_failure: z
    .boolean({ error: 'must be true or false' })
    .default(false)
    .describe('Skip the tests after the first one that does not pass.'),
})

const output = z.strictObject({
  passed: z.int().describe('Number of tests that passed.'),
  total: z.int().describe('Number of tests.'),
  score: z.number().describe('Weighted share of the passed tests, 0 to 1.'),
  tests: z.array(
    z.strictObject({
      name: z.string(),
      verdict: openList(VERDICTS),
      exit_code: z.int().describe('As in execute_code.'),
      execution_time: z.number().describe('Seconds.'),
      message: z
        .string()
        .nullable()
        .describe('Why the test did not pass: the first difference, or how the program ended.'),
    }),
  ),
  stderr: z
    .string()
    .describe('Standard error, or the output of the compiler, of the first test that did not pass.'),
  status: z
    .enum(['success', 'timeout', 'execution_error', 'setup_error'])
    .describe(
      'success: every test ran to its end, whatever its verdict. setup_error: no test got a verdict.',
    ),
  error_message: z.string().nullable(),
})

type GradeCodeAnswer = z.infer<typeof output>

/** `grade_code`: runs one program against test cases. */
export function gradeCodeTool(options: { tenant: string; waitSeconds: number }): Tool {
  return {
    definition: {
      name: 'grade_code',
      title: 'Grade code',
      description:
        'Runs a program against test cases (stdin and expected stdout, or assertions), each in the same isolation as execute_code, and returns a verdict for each: passed, wrong_answer, timeout, memory_exceeded, runtime_error, output_exceeded, unverified, judge_error (what judges failed, which says nothing about the code) or skipped.',
      inputSchema: publishedSchema(input),
      outputSchema: publishedSchema(output, 'output'),
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
    },

    async call(given, { client, signal, report }) {
      refuseTooManyTests(given)
      const { timeout, isolation, stop_on_first_failure, ...program } = parseArguments(input, given)
      const job = {
        ...program,
        tests: program.tests.map(withoutUndefined),
        ...(isolation !== undefined && { isolation }),
        stopOnFirstFailure: stop_on_first_failure,
        limits: { timeoutSeconds: timeout },
        tenant: options.tenant,
        replyTo: 'none',
      }
      const result = await runJob(await client(), job, { signal, report, waitSeconds: options.waitSeconds })
      const answered = answerOf(result)
      return answer(answered, answered.status === 'setup_error', result)
    },

    failed: (sentence) => answer(failedAnswer(sentence), true),
  }
}

/** Checks the number first, because each of a million invalid tests would be a problem. */
function refuseTooManyTests(given: unknown): void {
  const tests = typeof given === 'object' && given !== null ? Reflect.get(given, 'tests') : undefined
  if (!Array.isArray(tests) || tests.length <= MAX_TESTS) return
  const message = `tests: must be at most ${MAX_TESTS} tests, got a list of ${tests.length}`
  throw new InvalidJobError([{ field: 'tests', message }])
}

/** Drops undefined fields, which a job must not have. */
function withoutUndefined<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never
}

function answerOf(result: Result): GradeCodeAnswer {
  const { tests = [], summary } = result
  return {
    passed: summary?.passed ?? 0,
    total: summary?.total ?? tests.length,
    score: summary?.score ?? 0,
    tests: tests.map((test) => ({
      name: test.name,
      verdict: test.verdict,
      exit_code: documentedExitCode(test, test.verdict === 'timeout' ? 'timeout' : undefined),
      execution_time: inSeconds(test.wallMs),
      message: test.diff,
    })),
    stderr: result.stderr,
    status: documentedStatus(result),
    error_message: result.errorMessage && inArgumentNames(result.errorMessage),
  }
}

function failedAnswer(sentence: string): GradeCodeAnswer {
  return {
    passed: 0,
    total: 0,
    score: 0,
    tests: [],
    stderr: '',
    status: 'setup_error',
    error_message: sentence,
  }
}

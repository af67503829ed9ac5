import { z } from 'zod'
import { callbackUrlSchema } from './callback-url.ts'
import { fetchFilesSchema, filesSchema } from './files.ts'
import { argumentsSchema, environmentSchema } from './invocation.ts'
import { copyJson } from './json-value.ts'
import { limitsSchema } from './limits.ts'
import { NO_NETWORK } from './network.ts'
import { policySchema } from './policy.ts'
import { languageName, programText } from './program.ts'
import { runtimeSchema } from './runtime.ts'
import {
  fields,
  flag,
  integerBetween,
  nameUpTo,
  oneOf,
  recordOf,
  sizeText,
  textUpTo,
  utf8Bytes,
} from './schema.ts'
import { MAX_TESTS, type TestCase, testsSchema } from './test-case.ts'

/** Largest stdin, and largest `inputData` written as JSON, in bytes of UTF-8. */
export const MAX_INPUT_BYTES = 1024 * 1024

/** Lists and objects within each other; far from where any parser on the way runs out of stack. */
const MAX_INPUT_DEPTH = 100
const JSON_RULE = `must be JSON: null, booleans, finite numbers, text, lists and objects, nested at most ${MAX_INPUT_DEPTH} deep`
const INPUT_SIZE_RULE = `must be at most ${sizeText(MAX_INPUT_BYTES)} as JSON`

const inputData = z
  .custom<z.core.util.JSONType>()
  .transform((given, context): z.core.util.JSONType => {
    const { value, problem } = copyJson(given, MAX_INPUT_BYTES, MAX_INPUT_DEPTH)
    if (problem === undefined) return value
    const message = problem === 'too_large' ? INPUT_SIZE_RULE : JSON_RULE
    context.issues.push({ code: 'custom', message, input: given })
    return z.NEVER
  })
  .refine((value) => utf8Bytes(JSON.stringify(value)) <= MAX_INPUT_BYTES, { error: INPUT_SIZE_RULE })

const labels = recordOf(nameUpTo(64), textUpTo(256), 16, {
  key: 'must have names of 1 to 64 plain characters',
  object: 'must be an object of texts',
  most: 'must be at most 16 labels',
})

/**
 * What a producer enqueues: one program with its limits. Unknown fields are refused.
 *
 * @example
 * ```ts
 * const job = parseJob({ language: 'python', code: 'print(input_data["n"])', inputData: { n: 7 } })
 * ```
 */
export const jobSchema = fields({
  /** Name or alias in the catalogue, optionally `name@version`. */
  language: languageName.default('python'),
  /** The program, 1 byte to 1 MiB. */
  code: programText('Code cannot be empty'),
  /** Files laid in the workspace first: relative path → text, or `{content, encoding}`; at most 64 and 5 MiB. */
  files: filesSchema.optional(),
  /**
   * Paths of files in the workspace that the result should contain: at most 16 files and 4 MiB, from a program that is
   * started once and ended by itself. Folders, links and missing files are omitted with a warning.
   */
  fetchFiles: fetchFilesSchema.optional(),
  /** What the program reads on standard input; at most 1 MiB. */
  stdin: textUpTo(MAX_INPUT_BYTES).optional(),
  /**
   * Arguments behind the language's command, passed as they are: at most 64 of at most 4 KiB, 128 KiB together. A test's own
   * take their place. With any, the interpreter is not one that started before (`preload`).
   */
  args: argumentsSchema.optional(),
  /**
   * Variables of the program's environment, in each of its runs and not in the compile run: at most 64 of at most 4 KiB,
   * 64 KiB together. Those are refused that the platform or the language sets, or that change what an interpreter or the
   * loader runs. With any, the interpreter is not one that started before (`preload`).
   */
  env: environmentSchema.optional(),
  /** Arguments of the compile run, where the language has one that takes them; bounds as with `args`. */
  compileArgs: argumentsSchema.optional(),
  /** JSON; in Python and JavaScript the global `input_data`, everywhere the file `input.json`. */
  inputData: inputData.optional(),
  limits: limitsSchema.default({}),
  /** `none`, or the name of a profile that the operator has defined. */
  network: nameUpTo(64).default('none'),
  /** OCI runtime, never one that isolates less than language and deployment say. @default theirs */
  runtime: runtimeSchema.optional(),
  /** The check of the source before it runs; never below the deployment's minimum. */
  policy: policySchema.default({ mode: 'warn', rules: 'standard' }),
  /** State kept between executions of the same session. */
  sessionId: nameUpTo(128).optional(),
  /** Test cases, each judged on its own. */
  tests: testsSchema.optional(),
  /** Skip the tests that follow the first one that does not pass. */
  stopOnFirstFailure: flag().default(false),
  /**
   * How often each test is run, or the program of a job without tests. What does not end the same way each time is `flaky`:
   * the verdict (or status) differs, or the exit code or signal of a runtime error. Told is the first of the worst runs,
   * with its own figures; from bad to worse: wrong answer, runtime error, timeout, memory exceeded, output exceeded.
   *
   * Whatever this says, a worker runs once more, with no other execution beside it, what timed out while others ran and
   * kept it from the processor. What comes of that takes the place of the timeout, and it is `flaky` if it does not time
   * out again. Where the worker has no time for that, the timeout stands, and one of the result's `warnings` begins with
   * `contended:`. It is never done for a job with a network, a limit in CPU seconds, or a second time.
   */
  repeat: integerBetween(1, 20).default(1),
  /** Run in an interpreter that has started already, if the program cannot tell: not with `args` or `env`, for example. */
  preload: flag().default(false),
  /** Share one container with other jobs of the same batch and tenant. */
  reuse: oneOf(['never', 'batch']).default('never'),
  batchId: nameUpTo(128).optional(),
  /**
   * Reuse a recent result of the same job of the same tenant, and keep this job's result for the next one. For programs
   * that do the same each time.
   */
  cache: flag().default(false),
  /**
   * Publish output and verdicts while the program runs: see `events` of `@isopod/client`. Output is published only for a
   * program that runs once, without tests and `repeat`. @default false
   */
  stream: flag().optional(),
  /** Whose job it is, for fairness and budgets. */
  tenant: nameUpTo(64).default('default'),
  /** 0 runs first; larger numbers wait for smaller ones. */
  priority: integerBetween(0, 1000).default(0),
  /** Jobs of one tenant with the same key run once; a second submit gets the first one's id. */
  idempotencyKey: textUpTo(256)
    .refine((key) => key.length > 0, { error: 'must not be empty' })
    .optional(),
  /** Carried through to the result: at most 16 short texts. */
  labels: labels.optional(),
  /**
   * http or https URL to which a gateway posts the signed result, at least once, with retries until it answers 2xx. The
   * deployment decides which hosts may be called.
   */
  callbackUrl: callbackUrlSchema.optional(),
  /**
   * Name of the results queue for the result. With `none` it goes to no queue, and the producer waits for it or reads it
   * by the job's id. @default 'default'
   */
  replyTo: nameUpTo(64).default('default'),
})

const ONE_RUN = 'needs a program that is started once: no tests, and no repeat'
const MOST_RUNS = `must leave at most ${MAX_TESTS} runs of all tests together`

/** A validated job, defaults filled in. */
export type Job = z.output<typeof jobSchema>

/** A job as a producer writes it: only `code` is required. */
export type JobInput = z.input<typeof jobSchema>

/** The parts of {@link Job} that cannot be had: not in this release, or not together; each with what would be accepted. */
export function unavailableFeatures(job: Job): { field: string; message: string }[] {
  const plain = job.tests?.some(({ script }) => script === undefined) ?? false
  const refused: [string, boolean, string][] = [
    ['sessionId', job.sessionId !== undefined, 'sessions are not available in this release'],
    ['tests', plain && job.network !== NO_NETWORK, 'allow no network, but for scripts'],
    ...unavailableTests(job.tests ?? []),
    ['stopOnFirstFailure', job.stopOnFirstFailure && job.tests === undefined, 'needs tests'],
    ['repeat', job.repeat > 1 && job.network !== NO_NETWORK, 'allows no network'],
    ['repeat', (job.tests?.length ?? 0) * job.repeat > MAX_TESTS, MOST_RUNS],
    ['fetchFiles', asksForFiles(job) && (job.tests !== undefined || job.repeat > 1), ONE_RUN],
    ['reuse', job.reuse === 'batch' && job.batchId === undefined, '"batch" needs a batchId'],
    ['reuse', job.reuse === 'batch' && job.network !== NO_NETWORK, '"batch" allows no network'],
    ['cache', job.cache && job.network !== NO_NETWORK, 'allows no network'],
  ]
  return refused
    .filter(([, asked]) => asked)
    .map(([field, , sentence]) => ({ field, message: `${field}: ${sentence}` }))
}

function asksForFiles({ fetchFiles = [] }: Job): boolean {
  return fetchFiles.length > 0
}

/** The same for its tests. */
function unavailableTests(tests: readonly TestCase[]): [string, boolean, string][] {
  const scripts = tests.filter(({ script }) => script !== undefined)
  const beside = scripts.some((test) =>
    [test.args, test.expected, test.interactor].some((given) => given !== undefined),
  )
  const interactors = new Set(
    tests.flatMap(({ interactor }) => (interactor ? [JSON.stringify(interactor)] : [])),
  )
  return [
    ['tests', beside, 'script goes with no args, expected or interactor'],
    ['tests', scripts.length > 0 && scripts.length < tests.length, 'all of them have a script, or none'],
    ['tests', interactors.size > 1, 'all interactors are the same program'],
  ]
}

import { z } from 'zod'
import { callbackUrlSchema } from './callback-url.ts'
import { fetchFilesSchema, filesSchema } from './files.ts'
import { argumentsSchema, environmentSchema } from './invocation.ts'
import { copyJson } from './json-value.ts'
import { limitsSchema } from './limits.ts'
import { NO_NETWORK } from './network.ts'
import { policySchema } from './policy.ts'
import { languageName, programText } from './program.ts'
import { isolationOf, isolationSchema, runtimeSchema } from './runtime.ts'
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
import { SEPARATIONS } from './script.ts'
import { MAX_TESTS, type TestCase, testsSchema } from './test-case.ts'

/** Maximum size of stdin, and of `inputData` as JSON, in bytes of UTF-8. */
export const MAX_INPUT_BYTES = 1024 * 1024

/** Maximum nesting of lists and objects; no parser on the way runs out of stack at this depth. */
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
  max: 'must be at most 16 labels',
})

/**
 * A job as a producer enqueues it: one program with its limits. Unknown fields are refused.
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
  /** Files written to the workspace first: relative path → text, or `{content, encoding}`; at most 64 and 5 MiB. */
  files: filesSchema.optional(),
  /**
   * Paths of workspace files that the result should contain: at most 16 files and 4 MiB. The program must run once and exit
   * by itself. Folders, links and missing files are omitted with a warning.
   */
  fetchFiles: fetchFilesSchema.optional(),
  /** Standard input of the program; at most 1 MiB. */
  stdin: textUpTo(MAX_INPUT_BYTES).optional(),
  /**
   * Arguments after the language's command, passed unchanged: at most 64 of at most 4 KiB, 128 KiB together. The `args` of a
   * test case replace them. Arguments disable `preload`.
   */
  args: argumentsSchema.optional(),
  /**
   * Environment variables of the program, but not of the compile run: at most 64 of at most 4 KiB, 64 KiB together. Refused
   * are variables that the platform or the language sets, and those that change what an interpreter or the loader runs.
   * Variables disable `preload`.
   */
  env: environmentSchema.optional(),
  /** Arguments of the compile run, if the language has one that accepts them; bounded like `args`. */
  compileArgs: argumentsSchema.optional(),
  /** JSON: the global `input_data` in Python and JavaScript, and the file `input.json` in every language. */
  inputData: inputData.optional(),
  limits: limitsSchema.default({}),
  /** `none`, or the name of one of the operator's network profiles. */
  network: nameUpTo(64).default('none'),
  /**
   * What isolates the program, from least to most: `process` (namespaces of the worker's host), `container` (runc or crun of an
   * engine) or `gvisor`. At least the deployment's minimum, and the language's. @default that of the worker's default runtime
   */
  isolation: isolationSchema.optional(),
  /** OCI runtime, a finer choice than `isolation`, with the same minimum. @default the stronger of the language's and the worker's */
  runtime: runtimeSchema.optional(),
  /** Policy check of the source; raised to the deployment's minimum. */
  policy: policySchema.default({ mode: 'warn', rules: 'standard' }),
  /** State kept between executions of the same session. */
  sessionId: nameUpTo(128).optional(),
  /** Test cases; each gets its own verdict. */
  tests: testsSchema.optional(),
  /**
   * Where the scripts of the test cases run: `process` keeps them and the code in containers of their own, so that the code
   * sees no assertion and no expected value; `none` appends them to the code; `both` does one after the other, and the verdict is
   * `unverified` unless both pass or both fail. @default `process`, if the language can
   */
  separation: oneOf(SEPARATIONS).optional(),
  /** Skip all test cases after the first that does not pass. */
  stopOnFirstFailure: flag().default(false),
  /**
   * How often to run each test case, or the program of a job without test cases. If the runs differ in verdict (or status),
   * or in the exit code or signal of a runtime error, the result is `flaky`. It reports the first of the worst runs, from bad
   * to worse: wrong answer, runtime error, timeout, memory exceeded, output exceeded.
   *
   * Independently of this field, a worker repeats a run exclusively, once, if it timed out while other executions kept it
   * from the processor. The repeated run replaces the timeout, and is `flaky` if it does not time out again. If the worker
   * has no time to repeat it, the timeout stands, and one of the result's `warnings` begins with `contended:`. A job with a
   * network or a limit in CPU seconds is never repeated this way.
   */
  repeat: integerBetween(1, 20).default(1),
  /** Use an interpreter that has already started, unless the program could notice, for example by `args` or `env`. */
  preload: flag().default(false),
  /** Share one container with other jobs of the same batch and tenant. */
  reuse: oneOf(['never', 'batch']).default('never'),
  batchId: nameUpTo(128).optional(),
  /**
   * Reuse a recent result of an identical job of the same tenant, and cache this job's result. For deterministic programs.
   */
  cache: flag().default(false),
  /**
   * Publish output and verdicts while the program runs: see `events` of `@isopod/client`. Output is published only for a
   * program that runs once, without test cases and `repeat`. @default false
   */
  stream: flag().optional(),
  /** Owner of the job, for fairness and budgets. */
  tenant: nameUpTo(64).default('default'),
  /** Order among the jobs of one tenant: 0 runs first; larger numbers run later. */
  priority: integerBetween(0, 1000).default(0),
  /**
   * How long the job may wait for a worker to take it, in seconds from its submit by the clock of Redis. After that it does not
   * run: its result is `cancelled`, with a reason. @default no deadline
   */
  expiresInSeconds: integerBetween(1, 604_800).optional(),
  /** Jobs of one tenant with the same key run once; a repeated submit returns the first id. */
  idempotencyKey: textUpTo(256)
    .refine((key) => key.length > 0, { error: 'must not be empty' })
    .optional(),
  /** Copied to the result: at most 16 short texts. */
  labels: labels.optional(),
  /**
   * http or https URL to which a gateway posts the signed result, at least once, with retries until it responds with 2xx. The
   * deployment decides which hosts may be called.
   */
  callbackUrl: callbackUrlSchema.optional(),
  /**
   * Name of the results queue that receives the result. With `none` the producer waits for the result or reads it by the
   * job's id. @default 'default'
   */
  replyTo: nameUpTo(64).default('default'),
})

const ONE_RUN = 'needs a program that is started once: no tests, and no repeat'
const MAX_RUNS_RULE = `must leave at most ${MAX_TESTS} runs of all tests together`

/** A validated job with all defaults. */
export type Job = z.output<typeof jobSchema>

/** A job as a producer writes it: only `code` is required. */
export type JobInput = z.input<typeof jobSchema>

/** Fields of a job that this release does not support, alone or together, each with a message that says what is accepted. */
export function unavailableFeatures(job: Job): { field: string; message: string }[] {
  const plain = job.tests?.some(({ script }) => script === undefined) ?? false
  const refused: [string, boolean, string][] = [
    ['sessionId', job.sessionId !== undefined, 'sessions are not available in this release'],
    ['tests', plain && job.network !== NO_NETWORK, 'allow no network, but for scripts'],
    ...unavailableTests(job.tests ?? []),
    ['stopOnFirstFailure', job.stopOnFirstFailure && job.tests === undefined, 'needs tests'],
    ['repeat', job.repeat > 1 && job.network !== NO_NETWORK, 'allows no network'],
    ['repeat', (job.tests?.length ?? 0) * job.repeat > MAX_TESTS, MAX_RUNS_RULE],
    ['fetchFiles', asksForFiles(job) && (job.tests !== undefined || job.repeat > 1), ONE_RUN],
    ['reuse', job.reuse === 'batch' && job.batchId === undefined, '"batch" needs a batchId'],
    ['reuse', job.reuse === 'batch' && job.network !== NO_NETWORK, '"batch" allows no network'],
    ['cache', job.cache && job.network !== NO_NETWORK, 'allows no network'],
  ]
  return [...refused, ...contradiction(job)]
    .filter(([, asked]) => asked)
    .map(([field, , sentence]) => ({ field, message: `${field}: ${sentence}` }))
}

/** An isolation and a runtime that has another one. */
function contradiction({ isolation, runtime }: Job): [string, boolean, string][] {
  if (isolation === undefined || runtime === undefined) return []
  const own = isolationOf(runtime)
  return [['isolation', own !== isolation, `must be "${own}" with runtime "${runtime}", got "${isolation}"`]]
}

function asksForFiles({ fetchFiles = [] }: Job): boolean {
  return fetchFiles.length > 0
}

/** {@link unavailableFeatures} of the test cases. */
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

import { z } from 'zod'
import { fields, integerBetween, numberBetween, oneOf, openList } from './schema.ts'

/** Maximum output of one stream in a result, in bytes. */
export const MAX_OUTPUT_BYTES = 10 * 1024 * 1024

/** Maximum of `jobSeconds`. */
export const MAX_JOB_SECONDS = 3600

const SCOPES = ['job', 'run', 'container', 'creation', 'process'] as const

/**
 * What a limit bounds: the whole job; one run; a container, where it can change while the container exists; a container from
 * its creation on; each process of a program from its start on.
 */
export type LimitScope = (typeof SCOPES)[number]

/** All limits that a job can request, none of which has a value for "no limit". Schemas, types and docs/limits.md follow from it. */
export const LIMITS = {
  /** Wall-clock seconds of the main run; multiplied by the language's `timeout_factor`. */
  timeoutSeconds: limit(
    'run',
    numberBetween(0.1, 300),
    30,
    'ended: `timeout`; the factor of the language multiplies it',
  ),
  /** Wall-clock seconds of the compile run. */
  compileSeconds: limit('job', numberBetween(0.1, 300), 30, 'ended: `compile_error`, `limit: "timeout"`'),
  /**
   * Seconds that the whole job may spend in the sandbox: the compile run, all test cases with their checkers and interactors,
   * and repeated runs. Waiting does not count. When they run out, the current run ends too.
   */
  jobSeconds: limit(
    'job',
    numberBetween(0.1, MAX_JOB_SECONDS),
    600,
    'ended: `timeout`, `limit: "job"`; the rest is `skipped`',
  ),
  /** CPU seconds of all processes of a run. */
  cpuSeconds: limit('run', numberBetween(0.1, 300), null, 'ended: `timeout`, `limit: "cpu"`'),
  /** Memory of the whole container in MiB, including written files; there is no swap. */
  memoryMb: limit('container', integerBetween(16, 1024), 256, 'ended: `memory_exceeded`; there is no swap'),
  /** Processor cores, fractions allowed. The worker refuses more than its host has. */
  cpus: limit('container', numberBetween(0.1, 256), 0.5, 'slower; `throttledMs`'),
  /** Maximum number of simultaneous processes and threads, without init. */
  processes: limit('container', integerBetween(1, 512), 100, 'EAGAIN'),
  /** Maximum size of written files in MiB: three quarters in the workspace, one quarter in /tmp. */
  diskMb: limit(
    'creation',
    integerBetween(1, 512),
    64,
    'ENOSPC; three quarters are for the workspace, one for /tmp; counts as memory too',
  ),
  /** Maximum bytes of stdout, and of stderr, in the result. */
  outputBytes: limit(
    'run',
    integerBetween(0, MAX_OUTPUT_BYTES),
    102_400,
    'the stream is cut and marked `truncated`; with `onOverflow: "kill"` the program is ended',
  ),
  /** Whether to cut the output of a program that prints more, or to end the program. */
  onOverflow: limit('run', oneOf(['truncate', 'kill']), 'truncate', ''),
  /** Maximum number of open files and sockets of one process. */
  openFiles: limit('process', integerBetween(16, 4096), 256, 'EMFILE'),
}

/**
 * Declares a limit.
 *
 * @param usual value if neither the job, its language nor the deployment sets one; null: the limit does not apply
 * @param exceeded what a program that exceeds it gets
 */
function limit<Scope extends LimitScope, Value extends z.ZodType, Usual extends z.output<Value> | null>(
  scope: Scope,
  value: Value,
  usual: Usual,
  exceeded: string,
) {
  return { scope, schema: value.optional(), usual, exceeded }
}

type Table = typeof LIMITS

/** Names of the limits with one of these scopes. */
type NameOf<Scope extends LimitScope> = {
  [Name in keyof Table]: Table[Name]['scope'] extends Scope ? Name : never
}[keyof Table]

/** The limits of a container, after defaults and maxima. `cpuSeconds` is null if only wall-clock time counts. */
export type Limits = {
  readonly [Name in keyof Table]:
    | Exclude<z.output<Table[Name]['schema']>, undefined>
    | Extract<Table[Name]['usual'], null>
}

/** The limits with one of these scopes. */
export type LimitsOf<Scope extends LimitScope> = Pick<Limits, NameOf<Scope>>

/** Names of the limits with one of these scopes, in the order of {@link LIMITS}. */
export function limitNamesOf<Scope extends LimitScope>(
  ...scopes: readonly Scope[]
): readonly NameOf<Scope>[] {
  const wanted: readonly LimitScope[] = scopes
  const entries = Object.entries(LIMITS).filter(([, { scope }]) => wanted.includes(scope))
  return entries.map(([name]) => name) as NameOf<Scope>[]
}

/** Picks the limits with one of these scopes. */
export function pickLimits<Scope extends LimitScope>(
  limits: NoInfer<LimitsOf<Scope>>,
  ...scopes: readonly Scope[]
): LimitsOf<Scope> {
  return Object.fromEntries(limitNamesOf(...scopes).map((name) => [name, limits[name]])) as LimitsOf<Scope>
}

/** The optional fields of the limits with one of these scopes. */
export function limitFields<Scope extends LimitScope>(...scopes: readonly Scope[]) {
  const shape = limitNamesOf(...scopes).map((name) => [name, LIMITS[name].schema])
  return Object.fromEntries(shape) as { [Name in NameOf<Scope>]: Table[Name]['schema'] }
}

/** Limits that a job requests. */
export const limitsSchema = fields(limitFields(...SCOPES))

/** Requested limits; each is optional. */
export type LimitsRequest = z.infer<typeof limitsSchema>

/** Limits that apply if neither the job, its language nor the deployment sets others. */
export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { usual }]) => [name, usual]),
) as Limits

/** Names of the limits that an operator can cap. */
export type CappedLimit = Exclude<keyof Limits, 'onOverflow'>

/** A deployment's maxima. */
export type LimitMaxima = Readonly<Partial<Record<CappedLimit, number>>>

/** Names of the limits that can end a run or job. */
export const LIMIT_NAMES = ['timeout', 'cpu', 'memory', 'output', 'job'] as const

/** The limit that ended a run; `job` stands for `jobSeconds`. */
export type LimitName = (typeof LIMIT_NAMES)[number]

/** Limits as read back from inside the container, with the units of {@link Limits}. */
export const limitsAppliedSchema = z.object({
  /** The enforced timeout: the limit times `timeoutFactor`. */
  timeoutSeconds: z.number(),
  /** The language's `timeout_factor`. Absent if it is 1, and in results of older workers. */
  timeoutFactor: z.number().optional(),
  /** Enforced by the worker. Absent in results of older workers. */
  compileSeconds: z.number().optional(),
  /** Enforced by the worker. Absent in results of older workers. */
  jobSeconds: z.number().optional(),
  cpuSeconds: z.number().nullable(),
  memoryMb: z.number(),
  /** Memory and swap together, in MiB; equal to `memoryMb`. Null if the kernel does not account for swap. */
  memorySwapMb: z.number().nullable(),
  cpus: z.number(),
  processes: z.number(),
  diskMb: z.number(),
  outputBytes: z.number(),
  openFiles: z.number(),
  /** Limits that the container cannot read under this runtime, and where they were read instead. Absent if there are none. */
  outside: z
    .object({
      limits: z.array(openList(['cpus', 'memorySwapMb'])),
      /** `kernel`: the container's cgroup on the host; `engine`: the engine's record, if the engine is on another host. */
      source: openList(['kernel', 'engine']),
    })
    .optional(),
})

/** The enforced limits, as read inside the container, except for those in `outside`. */
export type LimitsApplied = z.infer<typeof limitsAppliedSchema>

/** Fills in missing limits from the language's defaults, then the deployment's, then {@link DEFAULT_LIMITS}. */
export function resolveLimits(
  asked: LimitsRequest,
  language: LimitsRequest = {},
  deployment: LimitsRequest = {},
): Limits {
  const layers: Limits = { ...DEFAULT_LIMITS, ...present(deployment), ...present(language) }
  return { ...layers, ...present(asked) }
}

/**
 * Compares resolved limits with the deployment's maxima.
 *
 * @returns one sentence per limit above its maximum; empty when all fit
 */
export function exceededMaxima(limits: Limits, maxima: LimitMaxima): { field: string; message: string }[] {
  const problems: { field: string; message: string }[] = []
  for (const [name, maximum] of Object.entries(maxima) as [CappedLimit, number][]) {
    const value = limits[name]
    if (value === null || value <= maximum) continue
    const field = `limits.${name}`
    problems.push({ field, message: `${field}: must be at most ${maximum} on this deployment, got ${value}` })
  }
  return problems
}

/** Drops `undefined` fields, so that a spread does not overwrite a lower layer with them. */
function present(limits: LimitsRequest): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}

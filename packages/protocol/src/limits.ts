import { z } from 'zod'
import { fields, integerBetween, numberBetween, oneOf } from './schema.ts'

/** Bytes of one stream that a result may carry at most. */
export const MAX_OUTPUT_BYTES = 10 * 1024 * 1024

/** The longest that any job may spend in the sandbox, in seconds. */
export const MAX_JOB_SECONDS = 3600

/** Limits as a job asks for them: every field may be left out, none may be 0, negative or «unlimited». */
export const limitsSchema = fields({
  /** Wall-clock seconds of the main run; multiplied by the language's `timeoutFactor`. */
  timeoutSeconds: numberBetween(0.1, 300).optional(),
  /**
   * Seconds that a whole job may spend in the sandbox: its compile run, all its tests with what judges them, what is run once
   * more. Waiting for a worker, or for room on it, does not count. A run whose `timeoutSeconds` are more ends with the job.
   */
  jobSeconds: numberBetween(0.1, MAX_JOB_SECONDS).optional(),
  /** CPU seconds of all processes of a run together. */
  cpuSeconds: numberBetween(0.1, 300).optional(),
  /** MiB of memory of the whole container; there is no swap. Files written count too. */
  memoryMb: integerBetween(16, 1024).optional(),
  /** Processor cores, fractions allowed. The worker refuses more than its host has. */
  cpus: numberBetween(0.1, 256).optional(),
  /** Processes and threads that may exist at once, our init not counted. */
  processes: integerBetween(1, 512).optional(),
  /** MiB of files: three quarters in the workspace, one quarter in /tmp. */
  diskMb: integerBetween(1, 512).optional(),
  /** Bytes of stdout, and bytes of stderr, that the result carries. */
  outputBytes: integerBetween(0, MAX_OUTPUT_BYTES).optional(),
  /** What a program that prints more meets: its output is cut, or it is ended. */
  onOverflow: oneOf(['truncate', 'kill']).optional(),
  /** Files and sockets that one process may hold open. */
  openFiles: integerBetween(16, 4096).optional(),
})

/** Limits as asked for, each optional. */
export type LimitsRequest = z.infer<typeof limitsSchema>

/** Limits after defaults and maxima: what a container is made with. `cpuSeconds` is null when only wall time counts. */
export interface Limits {
  readonly timeoutSeconds: number
  readonly jobSeconds: number
  readonly cpuSeconds: number | null
  readonly memoryMb: number
  readonly cpus: number
  readonly processes: number
  readonly diskMb: number
  readonly outputBytes: number
  readonly onOverflow: 'truncate' | 'kill'
  readonly openFiles: number
}

/** What a job gets when neither it, its language nor the deployment says otherwise. */
export const DEFAULT_LIMITS: Limits = {
  timeoutSeconds: 30,
  jobSeconds: 600,
  cpuSeconds: null,
  memoryMb: 256,
  cpus: 0.5,
  processes: 100,
  diskMb: 64,
  outputBytes: 102_400,
  onOverflow: 'truncate',
  openFiles: 256,
}

/** Names of the limits that an operator can cap. */
export type CappedLimit = Exclude<keyof Limits, 'onOverflow'>

/** Upper bounds that a deployment sets; a job can only ask for less. */
export type LimitMaxima = Readonly<Partial<Record<CappedLimit, number>>>

/** A limit that ended a run, or the whole job. */
export const LIMIT_NAMES = ['timeout', 'cpu', 'memory', 'output', 'job'] as const

/** Which limit ended a run; `job`: the job had used up its `jobSeconds`. */
export type LimitName = (typeof LIMIT_NAMES)[number]

/** Limits as read back from inside the container, with the units of {@link Limits}. */
export const limitsAppliedSchema = z.object({
  timeoutSeconds: z.number(),
  /** Kept by the worker. Absent in results of workers that knew no such limit. */
  jobSeconds: z.number().optional(),
  cpuSeconds: z.number().nullable(),
  memoryMb: z.number(),
  /** MiB of memory and swap together; equal to `memoryMb`. Null where the kernel does not account for swap. */
  memorySwapMb: z.number().nullable(),
  cpus: z.number(),
  processes: z.number(),
  diskMb: z.number(),
  outputBytes: z.number(),
  openFiles: z.number(),
  /** Limits that this runtime hides from the container, and who said instead that they hold. Absent if it saw all. */
  outside: z
    .strictObject({
      limits: z.array(z.enum(['cpus', 'memorySwapMb'])),
      /** `kernel`: the container's cgroup on the host; `engine`: the engine's own record, where that host is another one. */
      source: z.enum(['kernel', 'engine']),
    })
    .optional(),
})

/** What was enforced, as the container itself saw it, but for what `outside` names. */
export type LimitsApplied = z.infer<typeof limitsAppliedSchema>

/** Fills what a job left out: language defaults before deployment defaults before {@link DEFAULT_LIMITS}. */
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

/** Drops fields that are `undefined`, so that a spread does not overwrite what a lower layer gave. */
function present(limits: LimitsRequest): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}

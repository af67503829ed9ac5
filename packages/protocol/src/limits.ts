import { z } from 'zod'
import { fields, integerBetween, numberBetween, oneOf } from './schema.ts'

/** Maximum output of one stream in a result, in bytes. */
export const MAX_OUTPUT_BYTES = 10 * 1024 * 1024

/** Maximum of `jobSeconds`. */
export const MAX_JOB_SECONDS = 3600

/** Limits that a job requests. Each field is optional; no value means «no limit». */
export const limitsSchema = fields({
  /** Wall-clock seconds of the main run; multiplied by the language's `timeoutFactor`. */
  timeoutSeconds: numberBetween(0.1, 300).optional(),
  /**
   * Seconds that the whole job may spend in the sandbox: the compile run, all test cases with their checkers and interactors,
   * and repeated runs. Waiting does not count. When they run out, the current run ends too.
   */
  jobSeconds: numberBetween(0.1, MAX_JOB_SECONDS).optional(),
  /** CPU seconds of all processes of a run. */
  cpuSeconds: numberBetween(0.1, 300).optional(),
  /** Memory of the whole container in MiB, including written files; there is no swap. */
  memoryMb: integerBetween(16, 1024).optional(),
  /** Processor cores, fractions allowed. The worker refuses more than its host has. */
  cpus: numberBetween(0.1, 256).optional(),
  /** Maximum number of simultaneous processes and threads, without init. */
  processes: integerBetween(1, 512).optional(),
  /** Maximum size of written files in MiB: three quarters in the workspace, one quarter in /tmp. */
  diskMb: integerBetween(1, 512).optional(),
  /** Maximum bytes of stdout, and of stderr, in the result. */
  outputBytes: integerBetween(0, MAX_OUTPUT_BYTES).optional(),
  /** Whether to cut the output of a program that prints more, or to end the program. */
  onOverflow: oneOf(['truncate', 'kill']).optional(),
  /** Maximum number of open files and sockets of one process. */
  openFiles: integerBetween(16, 4096).optional(),
})

/** Requested limits; each is optional. */
export type LimitsRequest = z.infer<typeof limitsSchema>

/** The limits of a container, after defaults and maxima. `cpuSeconds` is null if only wall-clock time counts. */
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

/** Limits that apply if neither the job, its language nor the deployment sets others. */
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

/** A deployment's maxima. */
export type LimitMaxima = Readonly<Partial<Record<CappedLimit, number>>>

/** Names of the limits that can end a run or job. */
export const LIMIT_NAMES = ['timeout', 'cpu', 'memory', 'output', 'job'] as const

/** The limit that ended a run; `job` stands for `jobSeconds`. */
export type LimitName = (typeof LIMIT_NAMES)[number]

/** Limits as read back from inside the container, with the units of {@link Limits}. */
export const limitsAppliedSchema = z.object({
  timeoutSeconds: z.number(),
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
    .strictObject({
      limits: z.array(z.enum(['cpus', 'memorySwapMb'])),
      /** `kernel`: the container's cgroup on the host; `engine`: the engine's record, if the engine is on another host. */
      source: z.enum(['kernel', 'engine']),
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

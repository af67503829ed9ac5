import { z } from 'zod'
import { fetchedFilesSchema } from './files.ts'
import { LIMIT_NAMES, limitsAppliedSchema } from './limits.ts'
import { appliedPolicySchema } from './policy.ts'
import { openList } from './schema.ts'
import { STATUSES } from './status.ts'
import { testResultSchema, testSummarySchema } from './test-case.ts'

/** Duration of each stage of a job, in milliseconds; 0 for a stage that was not reached. */
export const timingsSchema = z.object({
  /** From submit until a worker took the job. */
  queued: z.number(),
  /** Time that the policy check delayed the job. A check that can only warn runs beside the program. */
  policy: z.number(),
  /** Until the job had its share of the host and a ready container. */
  acquire: z.number(),
  /** From the first byte until the program ended, including the compile run. */
  run: z.number(),
  /** From the program's end until the outcome was complete. */
  collect: z.number(),
  /** From the outcome until the result was ready to send; the worker's metrics have the time that Redis took. */
  publish: z.number(),
})

/** Duration of each stage of a job, in milliseconds. */
export type Timings = z.infer<typeof timingsSchema>

/** Resource usage with the fields of the API document; MB are MiB. */
export const resourceUsageSchema = z.object({
  executionTimeSeconds: z.number(),
  memoryStartMb: z.number(),
  memoryPeakMb: z.number(),
  cpuSamples: z.number(),
  cpuAveragePercent: z.number(),
  cpuPeakPercent: z.number(),
})

/** Resource usage with the fields of the API document. */
export type ResourceUsage = z.infer<typeof resourceUsageSchema>

/** Linux's kinds of namespaces, as results name them. */
export const NAMESPACES = ['user', 'mount', 'pid', 'ipc', 'uts', 'cgroup', 'network'] as const

/** A kind of namespace. */
export type Namespace = (typeof NAMESPACES)[number]

/** What isolated a program. */
export const resultIsolationSchema = z.object({
  /** What made the container: an engine, or the worker on its own host. */
  driver: openList(['docker', 'process']),
  /** `runc`, `crun` or `runsc` of an engine; `isopod-spawner` of the worker. */
  runtime: z.string(),
  /** The container's own namespaces; all others are those of its host. Under gVisor they are around its kernel. */
  namespaces: z.array(openList(NAMESPACES)),
  /** Version of the cgroups that enforce the limits. */
  cgroup: z.union([z.literal(1), z.literal(2)]),
})

/** What isolated a program. */
export type ResultIsolation = z.infer<typeof resultIsolationSchema>

/**
 * The result of one job. All statuses have the same shape: numbers that were not measured are null, missing texts are empty.
 *
 * Producers and workers are not upgraded at the same time: fields that a newer worker adds are dropped at every level, and a status,
 * limit or verdict that it adds is kept as text. `attributable` then says whether an unknown status describes the program.
 */
export const resultSchema = z.object({
  id: z.string(),
  status: openList(STATUSES),
  /** Null if a signal ended the program or no program ran. */
  exitCode: z.number().nullable(),
  /** Name of the signal that ended the program, for example `SIGSEGV`. */
  signal: z.string().nullable(),
  /** The limit that ended the program, or that ended the job before all of its test cases ran. */
  limit: openList(LIMIT_NAMES).nullable(),
  /** Undecodable bytes become U+FFFD; `raw` then has the bytes. */
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.object({ stdout: z.boolean(), stderr: z.boolean() }),
  /** Bytes that the program wrote; the result contains at most `limits.outputBytes` of them. */
  outputBytes: z.object({ stdout: z.number(), stderr: z.number() }),
  /** Base64 of each stream that is not valid UTF-8. */
  raw: z.object({ stdout: z.string().optional(), stderr: z.string().optional() }).optional(),
  /** Files named in the job's `fetchFiles` that the program wrote; absent if the job names none. */
  files: fetchedFilesSchema.optional(),
  /** Output of the compiler, for languages with a compile run. */
  compileOutput: z.string().optional(),
  wallMs: z.number().nullable(),
  cpuUserMs: z.number().nullable(),
  cpuSysMs: z.number().nullable(),
  memoryPeakBytes: z.number().nullable(),
  processesPeak: z.number().nullable(),
  throttledMs: z.number().nullable(),
  resourceUsage: resourceUsageSchema.nullable(),
  /** Limits as read inside the container; null if there was no container. */
  limitsApplied: limitsAppliedSchema.nullable(),
  timings: timingsSchema,
  warnings: z.array(z.string()),
  /** The applied policy, raised to the deployment's minimum; absent if the job did not reach the check. */
  policy: appliedPolicySchema.optional(),
  validationErrors: z.array(z.string()),
  /** One sentence for a person; null on success. */
  errorMessage: z.string().nullable(),
  /** False if the result says nothing about the program, because of a platform fault or a cancellation. */
  attributable: z.boolean(),
  /** Number of this start of the job, from 1; 0 if it never started. */
  attempt: z.number(),
  workerId: z.string(),
  /** Name and version of the language that ran, for example `python@3.13`. */
  language: z.string(),
  imageDigest: z.string().nullable(),
  /** The runtime: `runc`, `crun` or `runsc` of an engine, `isopod-spawner` under the process driver. */
  runtime: z.string().nullable(),
  /** What isolated the program; absent if there was no container. */
  isolation: resultIsolationSchema.optional(),
  /**
   * Where the container came from: made for this job, taken from the pool, or used before by jobs of the same batch. Absent
   * if there was none. For several containers: `batch` if any was used before.
   */
  containerOrigin: openList(['made', 'pool', 'batch']).optional(),
  /** Whether the interpreter had started before the program arrived; absent if there was no container. */
  preloaded: z.boolean().optional(),
  /**
   * Repeated runs of the program, or of one of its test cases, ended differently; absent otherwise. See `repeat` of a job.
   */
  flaky: z.literal(true).optional(),
  /** The job did not run: this is the cached result of the identical job `cachedFrom`. Absent if it ran. */
  cached: z.literal(true).optional(),
  cachedFrom: z.string().optional(),
  tenant: z.string(),
  batchId: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  tests: z.array(testResultSchema).optional(),
  summary: testSummarySchema.optional(),
})

/** The result of one job. */
export type Result = z.infer<typeof resultSchema>

/**
 * A result as Redis has it. Outputs over 64 KiB are stored apart, and the result has only their beginning: `stdout`, `stderr`,
 * `compileOutput` and `raw` are shortened, `truncated` is set, and large `files` are missing. Clients put them back.
 */
export const storedResultSchema = resultSchema.extend({
  storedApart: z
    .object({
      /** Number of pieces of each output, by its name: the path of the field, for example `raw.stdout`. `files` is JSON. */
      pieces: z.record(z.string(), z.number().int().nonnegative()),
      /** `truncated` of the whole result. */
      truncated: z.object({ stdout: z.boolean(), stderr: z.boolean() }),
    })
    .optional(),
})

/** A result as Redis has it; its large outputs may be stored apart. */
export type StoredResult = z.infer<typeof storedResultSchema>

import { z } from 'zod'
import { fetchedFilesSchema } from './files.ts'
import { LIMIT_NAMES, limitsAppliedSchema } from './limits.ts'
import { appliedPolicySchema } from './policy.ts'
import { STATUSES } from './status.ts'
import { testResultSchema, testSummarySchema } from './test-case.ts'

/** How long each stage of a job took, in milliseconds. A stage that was not reached is 0. */
export const timingsSchema = z.strictObject({
  /** From `submit` until a worker took the job. */
  queued: z.number(),
  /** How long the job waited for nothing but the check of its source: a policy that can only warn goes on beside the run. */
  policy: z.number(),
  /** Until the job had its share of the host and a container that was ready for the first byte. */
  acquire: z.number(),
  /** From the first byte until the program had ended, compile run included. */
  run: z.number(),
  /** From the program's end until the outcome was complete. */
  collect: z.number(),
  /** From the outcome until it was a result, ready to be sent; how long Redis took is in the worker's metrics. */
  publish: z.number(),
})

/** Durations of a job's stages, in milliseconds. */
export type Timings = z.infer<typeof timingsSchema>

/** Resource usage with the fields of the API document; MB are MiB. */
export const resourceUsageSchema = z.strictObject({
  executionTimeSeconds: z.number(),
  memoryStartMb: z.number(),
  memoryPeakMb: z.number(),
  cpuSamples: z.number(),
  cpuAveragePercent: z.number(),
  cpuPeakPercent: z.number(),
})

/** Resource usage with the fields of the API document. */
export type ResourceUsage = z.infer<typeof resourceUsageSchema>

/**
 * What became of one job. The same shape for every status: numbers that were never measured are null,
 * texts that never came are empty. Fields that a newer worker adds are dropped, not refused: producers and workers are
 * not upgraded in the same moment.
 */
export const resultSchema = z.object({
  id: z.string(),
  status: z.enum(STATUSES),
  /** Null when a signal ended the program or none ran. */
  exitCode: z.number().nullable(),
  /** Name of the signal that ended the program, for example `SIGSEGV`. */
  signal: z.string().nullable(),
  /** Which limit ended the program, or the job before all of its tests were run. */
  limit: z.enum(LIMIT_NAMES).nullable(),
  /** Undecodable bytes stand as U+FFFD; `raw` then has the bytes themselves. */
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.strictObject({ stdout: z.boolean(), stderr: z.boolean() }),
  /** Bytes that the program wrote, of which the result carries at most `limits.outputBytes`. */
  outputBytes: z.strictObject({ stdout: z.number(), stderr: z.number() }),
  /** Base64 of a stream that is not valid UTF-8. */
  raw: z.strictObject({ stdout: z.string().optional(), stderr: z.string().optional() }).optional(),
  /** Those files of the job's `fetchFiles` that the program left; absent if the job has none. */
  files: fetchedFilesSchema.optional(),
  /** What the compiler printed, for languages with a compile run. */
  compileOutput: z.string().optional(),
  wallMs: z.number().nullable(),
  cpuUserMs: z.number().nullable(),
  cpuSysMs: z.number().nullable(),
  memoryPeakBytes: z.number().nullable(),
  processesPeak: z.number().nullable(),
  throttledMs: z.number().nullable(),
  resourceUsage: resourceUsageSchema.nullable(),
  /** As read back from inside the container; null if none was made. */
  limitsApplied: limitsAppliedSchema.nullable(),
  timings: timingsSchema,
  warnings: z.array(z.string()),
  /** The policy that applied, the deployment's minimum included; absent if the job did not get that far. */
  policy: appliedPolicySchema.optional(),
  validationErrors: z.array(z.string()),
  /** One sentence for a person; null on success. */
  errorMessage: z.string().nullable(),
  /** False when the result says nothing about the program: a platform fault or a cancellation. */
  attributable: z.boolean(),
  /** Which start of the job this was, from 1; 0 if it never started. */
  attempt: z.number(),
  workerId: z.string(),
  /** Name and version of the language that ran, for example `python@3.13`. */
  language: z.string(),
  imageDigest: z.string().nullable(),
  /** The OCI runtime: `runc`, `crun` or `runsc`. */
  runtime: z.string().nullable(),
  /**
   * Made for this job, taken from those that waited, or used before by jobs of the same batch; absent if there was none.
   * Of a job with several containers: `batch` if any was used before.
   */
  containerOrigin: z.enum(['made', 'pool', 'batch']).optional(),
  /** Whether the interpreter had started before the program came; absent if there was no container. */
  preloaded: z.boolean().optional(),
  /**
   * The program, or one of its tests, did not end the same way each time that it ran; absent if it did. See a job's
   * `repeat`.
   */
  flaky: z.literal(true).optional(),
  /** The job did not run: this is what the same job came to before, its id in `cachedFrom`. Absent if it ran. */
  cached: z.literal(true).optional(),
  cachedFrom: z.string().optional(),
  tenant: z.string(),
  batchId: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  tests: z.array(testResultSchema).optional(),
  summary: testSummarySchema.optional(),
})

/** What became of one job. */
export type Result = z.infer<typeof resultSchema>

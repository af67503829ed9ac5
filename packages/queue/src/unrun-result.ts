import { isAttributable, type Job, type Result, type Timings } from '@isopod/protocol'

/** What is known of a job that did not run to an end. */
export interface UnrunJob {
  readonly id: string
  /** Missing if what was enqueued is not a valid job. */
  readonly job?: Job | undefined
  readonly status: 'cancelled' | 'setup_error' | 'validation_error'
  /** One sentence for a person. */
  readonly errorMessage: string
  readonly validationErrors?: readonly string[]
  /** Which start of the job it was; 0 if it never started. */
  readonly attempt: number
  /** Empty if no worker was involved. */
  readonly workerId: string
  /** @default what the job asks for */
  readonly language?: string
  /** Stages that were reached, in milliseconds. */
  readonly timings?: Partial<Timings>
}

/** A complete result for a job that did not run: nothing was measured, nothing was printed. */
export function unrunResult(unrun: UnrunJob): Result {
  const { job } = unrun
  return {
    id: unrun.id,
    status: unrun.status,
    exitCode: null,
    signal: null,
    limit: null,
    stdout: '',
    stderr: '',
    truncated: { stdout: false, stderr: false },
    outputBytes: { stdout: 0, stderr: 0 },
    wallMs: null,
    cpuUserMs: null,
    cpuSysMs: null,
    memoryPeakBytes: null,
    processesPeak: null,
    throttledMs: null,
    resourceUsage: null,
    limitsApplied: null,
    timings: { queued: 0, policy: 0, acquire: 0, run: 0, collect: 0, publish: 0, ...unrun.timings },
    warnings: [],
    validationErrors: [...(unrun.validationErrors ?? [])],
    errorMessage: unrun.errorMessage,
    attributable: isAttributable(unrun.status),
    attempt: unrun.attempt,
    workerId: unrun.workerId,
    language: unrun.language ?? job?.language ?? 'unknown',
    imageDigest: null,
    runtime: null,
    tenant: job?.tenant ?? 'default',
    ...(job?.batchId === undefined ? {} : { batchId: job.batchId }),
    ...(job?.labels === undefined ? {} : { labels: job.labels }),
  }
}

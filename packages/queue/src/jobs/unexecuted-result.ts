import { copiedFields, isAttributable, type Job, type Result, type Timings } from '@isopod/protocol'

/** A job that did not run to an end. */
export interface UnexecutedJob {
  readonly id: string
  /** Missing if the job is not valid. */
  readonly job?: Job | undefined
  readonly status: 'cancelled' | 'setup_error' | 'validation_error'
  /** One sentence for a person. */
  readonly errorMessage: string
  readonly validationErrors?: readonly string[]
  /** Number of the start; 0 if it never started. */
  readonly attempt: number
  /** Empty if no worker was involved. */
  readonly workerId: string
  /** @default the job's */
  readonly language?: string
  /** Stages that were reached, in milliseconds. */
  readonly timings?: Partial<Timings>
}

/** A complete result for a job that did not run, without measurements and output. */
export function unexecutedJobResult(unexecuted: UnexecutedJob): Result {
  const { job } = unexecuted
  return {
    id: unexecuted.id,
    status: unexecuted.status,
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
    timings: { queued: 0, policy: 0, acquire: 0, run: 0, collect: 0, publish: 0, ...unexecuted.timings },
    warnings: [],
    validationErrors: [...(unexecuted.validationErrors ?? [])],
    errorMessage: unexecuted.errorMessage,
    attributable: isAttributable(unexecuted.status),
    attempt: unexecuted.attempt,
    workerId: unexecuted.workerId,
    language: unexecuted.language ?? job?.language ?? 'unknown',
    imageDigest: null,
    runtime: null,
    ...(job === undefined ? { tenant: 'default' } : copiedFields(job)),
  }
}

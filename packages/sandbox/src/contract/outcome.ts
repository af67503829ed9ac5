import type { LimitName, LimitsApplied, ResourceUsage, ResultIsolation, Status } from '@isopod/protocol'

/** Statuses of a program that was run; the others are decided before or outside of a sandbox. */
export type RunStatus = Exclude<Status, 'validation_error' | 'cancelled' | 'setup_error'>

/** The output of one stream of a program. */
export interface StreamOutput {
  /** The first bytes, at most the `outputBytes` limit. */
  readonly bytes: Uint8Array
  /** Bytes that the program wrote, including those beyond the limit. */
  readonly produced: number
  readonly truncated: boolean
}

/**
 * What happened to a program. Times in milliseconds, sizes in bytes; null where nothing could be measured. With `runs`: the
 * first run that failed, else the last one; times are sums over all runs, peaks the highest.
 */
export interface Outcome {
  readonly status: RunStatus
  readonly exitCode: number | null
  readonly signal: string | null
  readonly limit: LimitName | null
  readonly stdout: StreamOutput
  readonly stderr: StreamOutput
  /** Output of the compiler; undefined for languages without a compile run. */
  readonly compileOutput: string | undefined
  readonly wallMs: number | null
  readonly cpuUserMs: number | null
  readonly cpuSysMs: number | null
  readonly memoryPeakBytes: number | null
  readonly processesPeak: number | null
  readonly throttledMs: number | null
  readonly resourceUsage: ResourceUsage | null
  readonly limitsApplied: LimitsApplied
  /** One sentence for a person; null on success. */
  readonly errorMessage: string | null
  /** Content of the file named by `report`; undefined if it is not a plain file of at most 1 MiB. */
  readonly report?: Uint8Array | undefined
  /** The existing files of `fetchFiles`, at most 4 MiB together: path → content. Undefined if `fetchFiles` is absent. */
  readonly files?: ReadonlyMap<string, Uint8Array> | undefined
  readonly container: ContainerFacts
  readonly timings: { readonly acquire: number; readonly run: number; readonly collect: number }
}

/** The outcome of one of an execution's `runs`. */
export type RunOutcome = Omit<
  Outcome,
  'compileOutput' | 'limitsApplied' | 'container' | 'timings' | 'resourceUsage'
>

/** Where a container came from: made for this execution, taken from the pool, or used before by the same batch. */
export type ContainerOrigin = 'made' | 'pool' | 'batch'

/** What isolates a program, besides the runtime. */
export type ContainerIsolation = Omit<ResultIsolation, 'runtime'>

/** Where a program ran. */
export interface ContainerFacts {
  readonly id: string
  /** Content digest of the image, `sha256:…`. */
  readonly imageDigest: string
  /** The runtime that made the container. */
  readonly runtime: string
  /** What else isolates the program. */
  readonly isolation: ContainerIsolation
  readonly origin: ContainerOrigin
  /** Whether the interpreter had started, and imported its modules, before the program arrived. */
  readonly preloaded: boolean
}

import type { Duplex } from 'node:stream'
import type {
  JobFile,
  Language,
  LimitName,
  Limits,
  LimitsApplied,
  ResourceUsage,
  Status,
} from '@isopod/protocol'
import type { PipeEnd } from './pipe.ts'
import type { TimeBudget } from './time-budget.ts'

/** One program on its way through a sandbox: all that is needed to run it, all of it validated. */
export interface Execution {
  /** The job's id; names and labels of the container carry it. */
  readonly id: string
  /** Which start of the job this is, from 1. */
  readonly attempt: number
  readonly language: Language
  readonly code: string
  readonly limits: Limits
  /** OCI runtime. @default the sandbox's own */
  readonly runtime?: string | undefined
  /** Relative path in the workspace → content. */
  readonly files?: Readonly<Record<string, JobFile>> | undefined
  readonly stdin?: string | undefined
  /** Arguments behind the language's command. @default none */
  readonly args?: readonly string[] | undefined
  /** Variables of the program's environment beside the platform's; the compile run has none of them. @default none */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Arguments of the compile run, in place of its `{args}`. @default none */
  readonly compileArgs?: readonly string[] | undefined
  /** JSON value; null is a value, undefined means that there is none. */
  readonly inputData?: unknown
  /** Have the interpreter started and its libraries imported beforehand, where the language can; else without. @default false */
  readonly preload?: boolean | undefined
  /** Executions with the same text may follow each other in one container, reset in between. @default none other may */
  readonly sharedBy?: string | undefined
  /**
   * Starts of the program, one after the other, each with the workspace as it was before the first one: compiled once, in one
   * container as long as it can be proven clean in between. @default one, with the execution's own stdin, arguments and limits
   */
  readonly runs?: readonly RunInput[] | undefined
  /** Programs of the platform's own, laid in the workspace to be executed: name → bytes. Never anything of a job. */
  readonly tools?: Readonly<Record<string, Uint8Array>> | undefined
  /**
   * Name of the file in the workspace that the program leaves to say that it came to its end; looked for if it ended
   * with exit code 0.
   */
  readonly report?: string | undefined
  /** Files in the workspace that the outcome is to have, of a program that came to its own end; not with `runs`. @default none */
  readonly fetchFiles?: readonly string[] | undefined
}

/** One start of a program that is started more than once. */
export interface RunInput {
  /** Those of its container can differ from the execution's as far as a container's can be changed: not in files. */
  readonly limits: Limits
  readonly stdin?: string | undefined
  /** Its stdin and stdout, in place of `stdin`: the run starts once both ends are there. */
  readonly pipe?: PipeEnd | undefined
  /** Arguments behind the language's command. */
  readonly args?: readonly string[] | undefined
  /** Laid beside the execution's own files. */
  readonly files?: Readonly<Record<string, JobFile>> | undefined
}

/** The statuses that running a program can lead to; the others are decided before or outside of a sandbox. */
export type RunStatus = Exclude<Status, 'validation_error' | 'cancelled' | 'setup_error'>

/** What one stream of a program came to. */
export interface StreamOutput {
  /** The first bytes, at most the `outputBytes` limit. */
  readonly bytes: Uint8Array
  /** Bytes that the program wrote, those beyond the limit included. */
  readonly produced: number
  readonly truncated: boolean
}

/**
 * What happened to a program. Times in milliseconds, sizes in bytes; null where nothing could be measured. Of many runs: what
 * happened in the first that did not end well, else in the last one; times are those of all together, peaks the highest.
 */
export interface Outcome {
  readonly status: RunStatus
  readonly exitCode: number | null
  readonly signal: string | null
  readonly limit: LimitName | null
  readonly stdout: StreamOutput
  readonly stderr: StreamOutput
  /** What the compiler printed; undefined for languages without a compile run. */
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
  /** What the file has that was asked for as `report`; undefined if there is none, or it is no plain file of at most 4 KiB. */
  readonly report?: Uint8Array | undefined
  /** What is there of `fetchFiles`, at most 4 MiB together: path → content. Undefined if nothing was asked for. */
  readonly files?: ReadonlyMap<string, Uint8Array> | undefined
  readonly container: ContainerFacts
  readonly timings: { readonly acquire: number; readonly run: number; readonly collect: number }
}

/** What came of one of an execution's `runs`. */
export type RunOutcome = Omit<
  Outcome,
  'compileOutput' | 'limitsApplied' | 'container' | 'timings' | 'resourceUsage'
>

/** Where a container came from: made for this execution, taken from those that waited, or used before by the same batch. */
export type ContainerOrigin = 'made' | 'pool' | 'batch'

/** Where a program ran. */
export interface ContainerFacts {
  readonly id: string
  /** Content digest of the image, `sha256:…`. */
  readonly imageDigest: string
  /** The OCI runtime that made the container. */
  readonly runtime: string
  readonly origin: ContainerOrigin
  /** Whether the interpreter had started, and imported what the catalogue lists, before the program came. */
  readonly preloaded: boolean
}

/** Takes one connection that the program has opened to its proxy on loopback; the stream ends with the run. */
export type OnConnection = (connection: Duplex) => void

/**
 * Takes what a program prints while it runs, as far as the result will have it. It must not throw; the bytes are the caller's
 * again when it returns.
 */
export type OnOutput = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void

/** Told what came of each of an execution's `runs`, in their order; the next ones are run if it answers true. */
export type OnRun = (outcome: RunOutcome, index: number) => boolean | Promise<boolean>

/** What a caller may add to an execution. */
export interface RunOptions {
  /** Without it all `runs` are run. */
  readonly onRun?: OnRun | undefined
  /** The next run may have started before `onRun` has answered; if it says no, that one is not told of. @default true */
  readonly ahead?: boolean | undefined
  /** Ends the execution. */
  readonly signal?: AbortSignal
  /**
   * Time of this execution and all others of its job. A run that would go on beyond it is ended, those behind are not started,
   * and the outcome's `limit` is `job`. @default no such limit
   */
  readonly budget?: TimeBudget | undefined
  /** Told where the program is to run as soon as the container is there, whatever comes of it. */
  readonly onContainer?: (facts: ContainerFacts) => void
  /**
   * Gives the program a way out: it finds a proxy at 127.0.0.1:3128, named by the usual variables, and what it connects
   * there comes here. @default none: no proxy, no variables, nothing but an empty loopback
   */
  readonly onConnection?: OnConnection | undefined
  /** Takes the program's output while it runs, not its compiler's; never called for an execution with `runs`. @default nobody does */
  readonly onOutput?: OnOutput | undefined
}

/** Runs programs that nobody trusts. */
export interface Sandbox {
  /**
   * Runs one program in a fresh environment. Resolves with what happened to it; rejects only if the host failed
   * (`RetryableError`, `TerminalError`) or `signal` was aborted, then with the signal's reason.
   */
  run(execution: Execution, options?: RunOptions): Promise<Outcome>
  /** Ends what still runs and removes every container. Idempotent. */
  close(): Promise<void>
}

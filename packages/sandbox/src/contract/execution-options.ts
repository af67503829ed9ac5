import type { Duplex } from 'node:stream'
import type { ContainerFacts, RunOutcome } from './outcome.ts'
import type { TimeBudget } from './time-budget.ts'

/** Takes one connection of the program to its proxy on loopback; the stream ends with the run. */
export type OnConnection = (connection: Duplex) => void

/**
 * Receives the program's output while it runs, up to the output limit. Must not throw, and must not keep the bytes.
 */
export type OnOutput = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void

/** Called after each of an execution's `runs`, in order; false skips the remaining ones. */
export type OnRun = (outcome: RunOutcome, index: number) => boolean | Promise<boolean>

/** Listeners and bounds of an execution. */
export interface ExecutionOptions {
  /** Can skip the remaining `runs`. */
  readonly onRun?: OnRun | undefined
  /** The next run may start before `onRun` returns; if that returns false, the run is not reported. @default true */
  readonly ahead?: boolean | undefined
  /** Ends the execution. */
  readonly signal?: AbortSignal
  /**
   * Time of this execution and all others of its job. A run that exceeds it is ended, later ones do not start, and the
   * outcome's `limit` is `job`. @default no such limit
   */
  readonly budget?: TimeBudget | undefined
  /** Called as soon as the execution has a container. */
  readonly onContainer?: (facts: ContainerFacts) => void
  /**
   * Gives the program a proxy at 127.0.0.1:3128, named by the usual variables, and takes its connections. @default none: no
   * proxy, no variables, an empty loopback
   */
  readonly onConnection?: OnConnection | undefined
  /** Receives the output of the program, but not of its compiler. Never called for an execution with `runs`. */
  readonly onOutput?: OnOutput | undefined
}

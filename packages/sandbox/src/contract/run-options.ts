import type { Duplex } from 'node:stream'
import type { ContainerFacts, RunOutcome } from './outcome.ts'
import type { TimeBudget } from './time-budget.ts'

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

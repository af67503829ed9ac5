import type { ContentionRetry } from '@isopod/judging'
import { NO_NETWORK } from '@isopod/protocol'
import {
  type Execution,
  type ExecutionOptions,
  maxStartupMs,
  mergeRepeats,
  type Outcome,
  type Sandbox,
  type TimeBudget,
  wasStarved,
} from '@isopod/sandbox'

/** Dependencies of {@link runWithRetry}. */
export interface ProgramOptions {
  readonly sandbox: Pick<Sandbox, 'run'>
  readonly retry: ContentionRetry
  /** The job's network profile. */
  readonly network: string
}

/** How a program ended. */
export interface ProgramEnd {
  readonly outcome: Outcome
  /** Whether its second run ended differently from the first. */
  readonly flaky: boolean
}

/**
 * Runs a program once. If other executions kept it or its compiler from the processor until the timeout, it runs once more,
 * exclusively, and that run counts.
 */
export async function runWithRetry(
  execution: Execution,
  { sandbox, retry, network }: ProgramOptions,
  options: ExecutionOptions & { readonly signal: AbortSignal; readonly budget: TimeBudget },
): Promise<ProgramEnd> {
  const { limits } = execution
  const first = await sandbox.run(execution, options)
  const starved = wasStarved(first, limits, (ms) => retry.wasOvercommitted(ms))
  // With a network, a second run would send everything again; a compile run sends nothing.
  const mayRepeat = network === NO_NETWORK || first.status === 'compile_error'
  if (!starved || !mayRepeat || options.budget.isSpent) return { outcome: first, flaky: false }
  const request = { timeoutsMs: [limits.timeoutSeconds * 1000], extraMs: maxStartupMs(execution) }
  const second = await retry.runExclusively(request, (_, signal) =>
    sandbox.run({ ...execution, id: `${execution.id}.again` }, { ...options, signal }),
  )
  // A second run that `jobSeconds` ended says nothing about the program.
  if (second === undefined || second.limit === 'job') return { outcome: first, flaky: false }
  return { outcome: mergeRepeats([first, second], second), flaky: second.status !== first.status }
}

import type { ExecutionOptions, Outcome, Sandbox, TimeBudget } from '@isopod/sandbox'
import type { JobChecks } from './comparison/output-checks.ts'
import type { ContentionRetry } from './contention-retry.ts'
import type { JudgedPart } from './summarize-tests.ts'
import type { OnVerdict } from './verdict-events.ts'

/** Dependencies of judging a job. */
export interface JudgingOptions {
  readonly sandbox: Pick<Sandbox, 'run'>
  readonly checks: Pick<JobChecks, 'check'>
  readonly retry: ContentionRetry
  readonly onVerdict?: OnVerdict | undefined
}

/** Options of each execution of a job. */
export type JobRunOptions = ExecutionOptions & { readonly signal: AbortSignal; readonly budget: TimeBudget }

/** The outcome of a job's executions, and the verdicts of its runs. */
export interface Judging {
  /** Merged from all executions of the job. */
  readonly outcome: Outcome
  readonly judged: JudgedPart
}

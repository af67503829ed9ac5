import type { ExecutionOptions, Outcome, Sandbox, TimeBudget } from '@isopod/sandbox'
import type { JobChecks } from './comparison/output-checks.ts'
import type { ContentionRetry } from './contention-retry.ts'
import type { JudgedPart } from './summarize-tests.ts'
import type { OnVerdict } from './verdict-events.ts'

/** What judging a job needs. */
export interface JudgingOptions {
  readonly sandbox: Pick<Sandbox, 'run'>
  readonly checks: Pick<JobChecks, 'check'>
  readonly retry: ContentionRetry
  readonly onVerdict?: OnVerdict | undefined
}

/** Options of each execution of a job. */
export type JobRunOptions = ExecutionOptions & { readonly signal: AbortSignal; readonly budget: TimeBudget }

/** What happened to the program of a job, and how its runs were judged. */
export interface Judging {
  /** All executions of the job together. */
  readonly outcome: Outcome
  readonly judged: JudgedPart
}

import { type Language, parseJob, type TestCase } from '@isopod/protocol'
import {
  type Execution,
  type ExecutionOptions,
  type Outcome,
  type RunOutcome,
  TimeBudget,
} from '@isopod/sandbox'
import { sampleOutcome } from '../../../../test/support/samples.ts'
import type { ContentionRetry } from '../../src/contention-retry.ts'
import { judgeJob } from '../../src/judge-job.ts'
import { planJudging } from '../../src/plan-judging.ts'
import { rulesOf } from './rules.ts'

const languages = ['program', 'judge'].map((name) => ({
  ...{ name, version: '1', aliases: [], filename: `${name}.x`, default_limits: {}, timeout_factor: 1 },
})) as unknown as Language[]
const rules = rulesOf(languages)

/** A worker on which no other execution runs. */
export const IDLE: ContentionRetry = {
  wasOvercommitted: () => false,
  runExclusively: () => Promise.reject(new Error('not due')),
  resume: () => Promise.reject(new Error('not due')),
}

/** The end of one run of a judge program. */
export type JudgeRun = Partial<RunOutcome>

/** Ends of the executions of judge programs, one after the other: those of their runs, or that of one that did not start. */
export type JudgeRuns = (readonly JudgeRun[] | { readonly unstarted: Partial<Outcome> })[]

/**
 * Judges a job of a batch whose program succeeds in each run, unless `program` says how it ends. The executions of its judge programs end as
 * `judges` says.
 */
export async function judged(
  tests: readonly Partial<TestCase>[],
  judges: JudgeRuns,
  { retry = IDLE, program = [] as JudgeRun[], budget = new TimeBudget(600), stopOnFirstFailure = false } = {},
) {
  const ids: string[] = []
  const shared: [string, string][] = []
  const batch = { reuse: 'batch', batchId: 'b' } as const
  const job = parseJob({ language: 'program', code: 'x', tests: [...tests], stopOnFirstFailure, ...batch })
  const delivery = { id: 'j', attempt: 1, job }
  const plan = planJudging(delivery, rules.planExecution(delivery).execution as Execution, rules)
  if ('problems' in plan) throw new Error(plan.problems.join())
  const run = async (execution: Execution, options: ExecutionOptions = {}) => {
    ids.push(execution.id)
    if (execution.sharedBy !== undefined) shared.push([execution.id, execution.sharedBy])
    const isJudge = execution.language.name === 'judge'
    const ends = isJudge ? (judges.shift() ?? []) : (execution.runs?.map(() => program.shift() ?? {}) ?? [])
    if ('unstarted' in ends) return sampleOutcome(ends.unstarted)
    let last = sampleOutcome()
    for (const [at, end] of ends.entries()) {
      last = sampleOutcome(end)
      const { pipe } = execution.runs?.[at] ?? {}
      await pipe?.meet(new AbortController().signal)
      pipe?.end()
      if (!(await options.onRun?.(last, at))) break
    }
    return last
  }
  const checks = { check: () => Promise.resolve(undefined) }
  const { signal } = new AbortController()
  const verdicts: string[] = []
  const onVerdict = (index: number, { verdict }: { verdict: string }) => verdicts.push(`${index} ${verdict}`)
  const { outcome, judged } = await judgeJob(
    plan,
    { sandbox: { run }, checks, retry, onVerdict },
    { signal, budget },
  )
  return { outcome, judged, ids, shared, verdicts }
}

import {
  type Execution,
  jobTimedOut,
  maxStartupMs,
  mergeOutcomes,
  type Outcome,
  wasStarved,
} from '@isopod/sandbox'
import { dueRuns } from '../contention-retry.ts'
import { runCheckers } from '../helpers/checker-programs.ts'
import type { JobRunOptions, Judging, JudgingOptions } from '../judging.ts'
import type { Footprint } from '../judging-rules.ts'
import { withOwnContainers } from '../shared-containers.ts'
import { summarizeTests } from '../summarize-tests.ts'
import { helperOf, type TestCasesPlan } from './plan-test-cases.ts'
import { runJudgedProgram, talkAgain } from './run-judged-program.ts'
import { type PendingRun, TestJudge } from './test-judge.ts'

/** Runs of a plan that form one execution. */
interface Round {
  readonly plan: TestCasesPlan
  /** Name of the execution: containers carry it. */
  readonly id: string
  readonly pending: readonly PendingRun[]
  /** Whether nothing else runs on the host. */
  readonly exclusive: boolean
  /** Whether a starved run is to be repeated. */
  readonly retries: boolean
}

interface RoundOutcome {
  readonly judge: TestJudge
  readonly outcome: Outcome
  readonly retries: boolean
}

/**
 * Runs the test cases of a job and judges each run. Runs that timed out while other executions kept them from the processor are
 * repeated once, exclusively.
 */
export async function runTestCases(
  plan: TestCasesPlan,
  options: JudgingOptions,
  run: JobRunOptions,
): Promise<Judging> {
  const { execution, tests, stopOnFirstFailure: stop } = plan
  const pending = tests.flatMap((test, index) => {
    const input = plan.runs[index]
    return input === undefined ? [] : Array.from({ length: plan.repeat }, () => ({ index, test, input }))
  })
  const first = await runRound(
    { plan, id: execution.id, pending, exclusive: false, retries: true },
    options,
    run,
  )
  await checkOutputs(execution.id, first, plan, options, run)
  const rounds = [first]
  const isUncompiled = wasCompilerStarved(first, plan, options)
  const due = isUncompiled
    ? { starved: firstOfEach(pending), skipped: [] }
    : dueRuns(pending, first.judge.runs, stop)
  const again = first.judge.ranOut ? undefined : await retryExclusively(plan, due.starved, options, run)
  if (again !== undefined && again.judge.runs.length > 0) {
    rounds.push(again)
    // Without a compiled program no run was made, and the allowance may cover some of them only.
    const left = isUncompiled ? due.starved.slice(again.judge.runs.length) : due.skipped
    if (again.judge.unchecked.length + left.length > 0) await options.retry.resume()
    await checkOutputs(retryId(execution), again, plan, options, run)
    const hasPassed = again.judge.runs.every(({ result }) => result.verdict === 'passed')
    if (left.length > 0 && (hasPassed || !stop)) {
      const id = `${execution.id}.rest`
      // A job is retried once: a run that is starved in this round keeps its verdict.
      const round = { plan, id, pending: left, exclusive: false, retries: false }
      const rest = await runRound(round, options, run)
      await checkOutputs(id, rest, plan, options, run)
      rounds.push(rest)
    }
  }
  const runs = rounds.flatMap(({ judge }) => judge.runs)
  const repeated = isUncompiled ? runs.length : (again?.judge.runs.length ?? 0)
  const unrepeated = repeated < (isUncompiled ? 1 : due.starved.length) ? first.outcome : undefined
  const shown = rounds.find(({ judge }) => judge.failed)?.judge.failed ?? unrepeated ?? rounds.at(-1)?.outcome
  const outcomes = rounds.map((round) => round.outcome)
  const ranOut = rounds.some((round) => round.judge.ranOut || round.outcome.limit === 'job')
  const outcome = {
    ...mergeOutcomes(outcomes, rounds.length > 1 ? shown : undefined),
    ...(ranOut && jobTimedOut(execution.limits)),
  }
  const judged = summarizeTests(tests, runs, outcome, stop)
  // The program that could not be compiled at first could be compiled later.
  return { outcome, judged: isUncompiled && runs.length > 0 ? { ...judged, flaky: true } : judged }
}

/** Whether other executions kept the compiler from the processor until its timeout, so that no test case was run. */
function wasCompilerStarved(
  { judge, outcome }: RoundOutcome,
  { execution }: TestCasesPlan,
  { retry }: JudgingOptions,
): boolean {
  if (judge.runs.length > 0 || outcome.status !== 'compile_error') return false
  return wasStarved(outcome, execution.limits, (ms) => retry.wasOvercommitted(ms))
}

/** One run of each test case. */
function firstOfEach(pending: readonly PendingRun[]): PendingRun[] {
  return pending.filter(({ index }, position) => pending[position - 1]?.index !== index)
}

/**
 * The footprint of a job with test cases: the largest of its runs and its checker programs, which run one after the other,
 * plus that of its interactor, which runs at the same time.
 */
export function testCasesFootprint({ execution, runs, tests, helpers }: TestCasesPlan): Footprint {
  const limitsOf = (name: string | undefined) =>
    (name === undefined ? undefined : helpers.get(name)?.limits) ?? []
  const checkers = tests.flatMap(({ checker }) =>
    limitsOf(typeof checker === 'object' && checker.type === 'program' ? checker.language : undefined),
  )
  const [interactor] = tests.flatMap((test) => limitsOf(test.interactor?.language))
  const all = [execution.limits, ...runs.map(({ limits }) => limits), ...checkers]
  return {
    memoryMb: Math.max(...all.map(({ memoryMb }) => memoryMb)) + (interactor?.memoryMb ?? 0),
    cpus: Math.max(...all.map(({ cpus }) => cpus)) + (interactor?.cpus ?? 0),
  }
}

async function retryExclusively(
  plan: TestCasesPlan,
  starved: readonly PendingRun[],
  options: JudgingOptions,
  run: JobRunOptions,
): Promise<RoundOutcome | undefined> {
  if (starved.length === 0) return undefined
  const request = {
    timeoutsMs: starved.map(({ input }) => input.limits.timeoutSeconds * 1000),
    extraMs: maxStartupMs(plan.execution),
  }
  return await options.retry.runExclusively(request, (count, signal) => {
    const pending = starved.slice(0, count)
    const id = retryId(plan.execution)
    const round = { plan: withOwnContainers(plan), id, pending, exclusive: true, retries: false }
    return runRound(round, options, { ...run, signal })
  })
}

/** Makes the runs of a round as one execution. */
async function runRound(
  { plan, id, pending, exclusive, retries }: Round,
  { sandbox, checks, retry, onVerdict }: JudgingOptions,
  options: JobRunOptions,
): Promise<RoundOutcome> {
  const { stopOnFirstFailure } = plan
  const wasOvercommitted = (ms: number) => retries && retry.wasOvercommitted(ms)
  const judge = new TestJudge({ pending, stopOnFirstFailure, checks, wasOvercommitted, exclusive, onVerdict })
  const parts = { plan, sandbox, wasOvercommitted, options }
  const repeated: Outcome[] = []
  const outcome = await runJudgedProgram({ id, pending }, parts, async (run, at, answer) => {
    const again = answer?.kind === 'failed' ? await talkAgain({ id, pending, at }, parts) : undefined
    if (again === undefined) return await judge.add(run, at, answer)
    repeated.push(again.outcome)
    return await judge.add(again.run, at, again.answer)
  })
  // The second conversations replaced some of the runs.
  const merged = repeated.length === 0 ? outcome : mergeOutcomes([outcome, ...repeated], judge.shown)
  return { outcome: merged, judge, retries }
}

/** Runs the checker programs over the outputs of a round. */
async function checkOutputs(
  id: string,
  { judge, retries }: RoundOutcome,
  plan: TestCasesPlan,
  { sandbox, retry }: JudgingOptions,
  { signal, budget }: JobRunOptions,
): Promise<void> {
  const { attempt, runtime } = plan.execution
  const execution = { id, attempt, runtime }
  const helper = (language: string) => helperOf(plan, language)
  const wasOvercommitted = (ms: number) => retries && retry.wasOvercommitted(ms)
  const context = { sandbox, execution, helper, retry, wasOvercommitted, signal, budget }
  await runCheckers(judge.unchecked, context, (position, answer) => judge.addChecked(position, answer))
}

/** Name of the execution that repeats starved runs. */
function retryId({ id }: Pick<Execution, 'id'>): string {
  return `${id}.again`
}

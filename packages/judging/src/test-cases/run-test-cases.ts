import {
  type Execution,
  jobTimedOut,
  maxStartupMs,
  mergeOutcomes,
  type Outcome,
  type RunInput,
} from '@isopod/sandbox'
import { dueRuns } from '../contention-retry.ts'
import { runCheckers } from '../helpers/checker-programs.ts'
import { Interactor } from '../helpers/interactor.ts'
import type { JobRunOptions, Judging, JudgingOptions } from '../judging.ts'
import type { Footprint, HelperProgram } from '../judging-rules.ts'
import { summarizeTests } from '../summarize-tests.ts'
import type { TestCasesPlan } from './plan-test-cases.ts'
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
  const due = dueRuns(pending, first.judge.runs, stop)
  const again = first.judge.ranOut ? undefined : await retryExclusively(plan, due.starved, options, run)
  if (again !== undefined && again.judge.runs.length > 0) {
    rounds.push(again)
    if (again.judge.unchecked.length + due.skipped.length > 0) await options.retry.resume()
    await checkOutputs(retryId(execution), again, plan, options, run)
    if (due.skipped.length > 0 && again.judge.runs.every(({ result }) => result.verdict === 'passed')) {
      const id = `${execution.id}.rest`
      // A job is retried once: a run that is starved in this round keeps its verdict.
      const round = { plan, id, pending: due.skipped, exclusive: false, retries: false }
      const rest = await runRound(round, options, run)
      await checkOutputs(id, rest, plan, options, run)
      rounds.push(rest)
    }
  }
  const runs = rounds.flatMap(({ judge }) => judge.runs)
  const unrepeated = (again?.judge.runs.length ?? 0) < due.starved.length ? first.outcome : undefined
  const shown = rounds.find(({ judge }) => judge.failed)?.judge.failed ?? unrepeated ?? rounds.at(-1)?.outcome
  const outcomes = rounds.map((round) => round.outcome)
  const ranOut = rounds.some((round) => round.judge.ranOut || round.outcome.limit === 'job')
  const outcome = {
    ...mergeOutcomes(outcomes, rounds.length > 1 ? shown : undefined),
    ...(ranOut && jobTimedOut(execution.limits)),
  }
  return { outcome, judged: summarizeTests(tests, runs, outcome, stop) }
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
    extraMs: maxStartupMs(plan.execution.language),
  }
  return await options.retry.runExclusively(request, (count, signal) => {
    const pending = starved.slice(0, count)
    const round = { plan, id: retryId(plan.execution), pending, exclusive: true, retries: false }
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
  const execution = { ...plan.execution, id }
  const outcome = await withInteractor(
    { plan, execution, pending, sandbox, budget: options.budget },
    (runs, interactor, interactorFailed) =>
      sandbox.run(
        { ...execution, runs },
        {
          ...options,
          signal: AbortSignal.any([options.signal, interactorFailed]),
          onRun: async (run, at) => judge.add(run, at, await interactor?.judge(at, run)),
          ahead: !stopOnFirstFailure,
        },
      ),
  )
  return { outcome, judge }
}

interface InteractorRound extends Pick<Round, 'plan' | 'pending'> {
  readonly execution: Execution
  readonly sandbox: JudgingOptions['sandbox']
  readonly budget: JobRunOptions['budget']
}

/**
 * Runs the program together with the interactor of its test cases, if there is one. The end of the program ends the interactor,
 * and a failure of the interactor ends the program.
 */
async function withInteractor(
  { plan, execution, pending, sandbox, budget }: InteractorRound,
  run: (
    runs: readonly RunInput[],
    interactor: Interactor | undefined,
    failed: AbortSignal,
  ) => Promise<Outcome>,
): Promise<Outcome> {
  const runs = pending.map(({ input }) => input)
  const tests = pending.map(({ test }) => test)
  const failed = new AbortController()
  const program = tests.find((test) => test.interactor !== undefined)?.interactor
  if (program === undefined) return await run(runs, undefined, failed.signal)
  const interactor = new Interactor(program, tests)
  const programEnded = new AbortController()
  const context = { sandbox, execution, budget, helper: helperOf(plan, program.language) }
  const finished = interactor.run(runs, context, programEnded.signal).catch((error) => failed.abort(error))
  try {
    return await run(interactor.connect(runs), interactor, failed.signal)
  } finally {
    programEnded.abort(new Error('the program has ended'))
    await finished
  }
}

/** Runs the checker programs over the outputs of a round. */
async function checkOutputs(
  id: string,
  { judge }: RoundOutcome,
  plan: TestCasesPlan,
  { sandbox }: JudgingOptions,
  { signal, budget }: JobRunOptions,
): Promise<void> {
  const execution = { id, attempt: plan.execution.attempt }
  const helper = (language: string) => helperOf(plan, language)
  await runCheckers(
    judge.unchecked,
    { sandbox, execution, helper, signal, budget },
    {
      checked: (position, difference) => judge.addChecked(position, difference),
      ranOut: (position) => judge.addUnchecked(position),
    },
  )
}

function helperOf({ helpers }: TestCasesPlan, language: string): HelperProgram {
  const helper = helpers.get(language)
  if (helper === undefined) throw new Error(`the plan has no helper program for ${language}`)
  return helper
}

/** Name of the execution that repeats starved runs. */
function retryId({ id }: Pick<Execution, 'id'>): string {
  return `${id}.again`
}

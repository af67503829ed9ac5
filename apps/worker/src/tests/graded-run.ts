import { type CheckerProgram, type Job, TerminalError } from '@isopod/protocol'
import {
  type Execution,
  jobTimedOut,
  type Outcome,
  type RunInput,
  type RunOptions,
  type Sandbox,
} from '@isopod/sandbox'
import type { Share } from '../admission/admission.ts'
import { type DeploymentRules, helperProgram } from '../plan-execution.ts'
import { runCheckers } from './checker-programs.ts'
import { Interactor } from './interactors.ts'
import { type Graded, gradedOf, TestJudge, type Turn } from './judge-tests.ts'
import type { OnVerdict } from './live-verdicts.ts'
import type { JobChecks } from './output-checks.ts'
import { testName } from './plan-tests.ts'
import { repeatedRun } from './repeated-run.ts'
import { type SecondRuns, secondId, startupMs, turnsAgain } from './second-run.ts'
import { together } from './together.ts'

/** What a job with tests meets. */
export interface GradedRunOptions {
  readonly sandbox: Pick<Sandbox, 'run'>
  readonly checks: Pick<JobChecks, 'check'>
  readonly rules: Pick<DeploymentRules, 'catalogue' | 'defaults' | 'maxima'>
  readonly again: SecondRuns
  readonly onVerdict?: OnVerdict | undefined
}

/** What happened to the program, and what its runs came to. */
export interface Ran {
  readonly outcome: Outcome
  readonly graded?: Graded | Pick<Graded, 'flaky'>
}

type OfJob = Pick<Job, 'tests' | 'stopOnFirstFailure' | 'repeat' | 'network'>
type SignalledOptions = RunOptions & { readonly signal: AbortSignal }

/** Runs an execution with the tests of its job, or as often as it says, and judges each run. */
export async function gradedRun(
  execution: Execution,
  job: OfJob,
  options: GradedRunOptions,
  run: SignalledOptions,
): Promise<Ran> {
  if (job.tests === undefined) return await repeatedRun(execution, job, options, run)
  const { stopOnFirstFailure: stop, repeat } = job
  const tests = job.tests.map((test, index) => ({ ...test, name: testName(test, index) }))
  const turns = tests.flatMap((test, index) => {
    const input = execution.runs?.[index]
    return input === undefined ? [] : Array.from({ length: repeat }, () => ({ index, test, input }))
  })
  const { again } = options
  const wasCrowded = (ms: number) => again.wasCrowded(ms)
  const first = await takeTurns(execution, turns, { ...options, stop, wasCrowded, alone: false }, run)
  await askCheckers(execution, first, options, run)
  const all = [first]
  const due = turnsAgain(turns, first.judge.runs, stop)
  const own = { ...execution, id: secondId(execution) }
  const second =
    due.starved.length === 0 || first.judge.ranOut
      ? undefined
      : await again.alone(aloneRequest(execution, due.starved), (count, signal) => {
          const some = due.starved.slice(0, count)
          return takeTurns(own, some, { ...options, stop, wasCrowded, alone: true }, { ...run, signal })
        })
  if (second !== undefined && second.judge.runs.length > 0) {
    all.push(second)
    if (second.judge.unchecked.length + due.skipped.length > 0) await again.resume()
    await askCheckers(own, second, options, run)
    if (due.skipped.length > 0 && second.judge.runs.every(({ result }) => result.verdict === 'passed')) {
      const rest = { ...execution, id: `${execution.id}.rest` }
      // It is done once: what is starved now stays what it is.
      const how = { ...options, stop, wasCrowded: () => false, alone: false }
      const third = await takeTurns(rest, due.skipped, how, run)
      await askCheckers(rest, third, options, run)
      all.push(third)
    }
  }
  const runs = all.flatMap(({ judge }) => judge.runs)
  const left = (second?.judge.runs.length ?? 0) < due.starved.length ? first.outcome : undefined
  const shown = all.find(({ judge }) => judge.failed)?.judge.failed ?? left ?? all.at(-1)?.outcome
  const outcomes = all.map((taken) => taken.outcome)
  const ranOut = all.some((taken) => taken.judge.ranOut || taken.outcome.limit === 'job')
  const outcome = {
    ...together(outcomes, all.length > 1 ? shown : undefined),
    ...(ranOut && jobTimedOut(execution.limits)),
  }
  return { outcome, graded: gradedOf(tests, runs, outcome, stop) }
}

/** What came of turns that were taken once. */
interface TurnsTaken {
  readonly judge: TestJudge
  readonly outcome: Outcome
}

interface TakeOptions extends GradedRunOptions {
  readonly stop: boolean
  readonly wasCrowded: SecondRuns['wasCrowded']
  readonly alone: boolean
}

function aloneRequest({ language }: Execution, turns: readonly Turn[]) {
  const timeoutsMs = turns.map(({ input }) => input.limits.timeoutSeconds * 1000)
  return { timeoutsMs, extraMs: startupMs(language) }
}

/** Takes the turns once. */
async function takeTurns(
  execution: Execution,
  turns: readonly Turn[],
  { stop, alone, sandbox, checks, rules, wasCrowded, onVerdict }: TakeOptions,
  options: SignalledOptions,
): Promise<TurnsTaken> {
  const judge = new TestJudge({ turns, stopOnFirstFailure: stop, checks, wasCrowded, alone, onVerdict })
  const stage = { sandbox, rules, budget: options.budget }
  const outcome = await talkingRun(execution, turns, stage, (signal, runs, interactor) =>
    sandbox.run(
      { ...execution, runs },
      {
        ...options,
        signal: AbortSignal.any([options.signal, signal]),
        onRun: async (run, at) => judge.take(run, at, await interactor?.judge(at, run)),
        ahead: !stop,
      },
    ),
  )
  return { outcome, judge }
}

/** Runs the checker programs of the turns' tests. */
async function askCheckers(
  of: Execution,
  { judge }: TurnsTaken,
  { sandbox, rules }: GradedRunOptions,
  { signal, budget }: SignalledOptions,
): Promise<void> {
  const resolve = (program: CheckerProgram) => resolved(program, rules)
  await runCheckers(
    judge.unchecked,
    { sandbox, of, resolve, signal, budget },
    {
      checked: (at, difference) => judge.takeChecked(at, difference),
      ranOut: (at) => judge.takeUnchecked(at),
    },
  )
}

/**
 * What an execution takes of its host at most: its own share, whichever of its runs is on, or that of the checker program that
 * runs in its place, and its interactor's beside it.
 */
export function shareOf(
  { limits, runs = [] }: Execution,
  { tests = [] }: Pick<Job, 'tests'>,
  rules: GradedRunOptions['rules'],
): Share {
  const checkers = tests.flatMap(({ checker }) =>
    typeof checker === 'object' && checker.type === 'program' ? checker.language : [],
  )
  const helpers = [...new Set(checkers)].flatMap((name) => helperProgram(name, rules)?.limits ?? [])
  const all = [limits, ...runs.map((run) => run.limits), ...helpers]
  const program = tests.find(({ interactor }) => interactor !== undefined)?.interactor
  const beside = program && helperProgram(program.language, rules)?.limits
  return {
    memoryMb: Math.max(...all.map(({ memoryMb }) => memoryMb)) + (beside?.memoryMb ?? 0),
    cpus: Math.max(...all.map(({ cpus }) => cpus)) + (beside?.cpus ?? 0),
  }
}

/** Runs the program, and the interactor of its tests beside it, if there is one; neither outlives the other. */
async function talkingRun(
  execution: Execution,
  turns: readonly Turn[],
  { sandbox, rules, budget }: Pick<GradedRunOptions, 'sandbox' | 'rules'> & Pick<RunOptions, 'budget'>,
  run: (
    signal: AbortSignal,
    runs: readonly RunInput[],
    interactor: Interactor | undefined,
  ) => Promise<Outcome>,
): Promise<Outcome> {
  const runs = turns.map(({ input }) => input)
  const tests = turns.map(({ test }) => test)
  const failed = new AbortController()
  const program = tests.find(({ interactor }) => interactor !== undefined)?.interactor
  if (program === undefined) return await run(failed.signal, runs, undefined)
  const interactor = new Interactor(program, tests)
  const over = new AbortController()
  const stage = { sandbox, of: execution, budget, ...resolved(program, rules) }
  const talking = interactor.run(runs, stage, over.signal).catch((error) => failed.abort(error))
  try {
    return await run(failed.signal, interactor.piped(runs), interactor)
  } finally {
    over.abort(new Error('the program has ended'))
    await talking
  }
}

function resolved({ language }: Pick<CheckerProgram, 'language'>, rules: GradedRunOptions['rules']) {
  const found = helperProgram(language, rules)
  // Its plan has refused a job with any other.
  if (found === undefined) throw new TerminalError('a checker has no language')
  return found
}

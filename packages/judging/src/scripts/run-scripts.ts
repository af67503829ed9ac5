import { confirmVerdict, detectTampering, isConfirmable, type ScriptVerdict } from '@isopod/grading'
import { NO_NETWORK, type TestResult } from '@isopod/protocol'
import { jobTimedOut, maxStartupMs, mergeOutcomes, type Outcome, wasStarved } from '@isopod/sandbox'
import { dueRuns } from '../contention-retry.ts'
import type { JudgedRun } from '../judged-run.ts'
import type { JobRunOptions, Judging, JudgingOptions } from '../judging.ts'
import { sharedInRole, withOwnContainers } from '../shared-containers.ts'
import { summarizeTests } from '../summarize-tests.ts'
import { reportTest } from '../verdict-events.ts'
import type { PlannedScript, ScriptsPlan } from './plan-scripts.ts'
import { runInOneProcess, type ScriptOutcome } from './run-in-one-process.ts'
import { runSplit, type SplitContext, type SplitRun } from './split/run-split.ts'

/** One run of a script that has not been made. */
interface PendingScript {
  /** Index of the test case. */
  readonly index: number
  readonly test: PlannedScript
}

/** Some runs of a plan, made one after the other. */
interface Round {
  readonly plan: ScriptsPlan
  readonly pending: readonly PendingScript[]
  /** Whether nothing else runs on the host. */
  readonly exclusive: boolean
  /** Whether a starved run is to be repeated. */
  readonly retries: boolean
  /** End of the name of each execution, so that no two of a job have the same name. */
  readonly suffix: string
}

interface RoundOutcome {
  readonly runs: readonly JudgedRun[]
  readonly outcomes: readonly Outcome[]
  /** Whether the job's time ran out before all runs. */
  readonly ranOut: boolean
}

type Options = Omit<JudgingOptions, 'checks'>

/**
 * Runs the scripts of a job one after the other, each in its own container, and judges them. Runs that timed out while other
 * executions kept them from the processor are repeated once, exclusively.
 */
export async function runScripts(plan: ScriptsPlan, options: Options, run: JobRunOptions): Promise<Judging> {
  const { tests, repeat, network, stopOnFirstFailure: stop } = plan
  const pending = tests.flatMap((test, index) => Array.from({ length: repeat }, () => ({ index, test })))
  const first = await runRound({ plan, pending, exclusive: false, retries: true, suffix: '' }, options, run)
  // With a network, a second run would send everything again.
  const mayRepeat = network === NO_NETWORK && !first.ranOut
  const due = mayRepeat ? dueRuns(pending, first.runs, stop) : { starved: [], skipped: [] }
  const request = {
    timeoutsMs: due.starved.map(({ test }) => test.execution.limits.timeoutSeconds * 1000),
    // Each script is started and compiled on its own.
    extraMs: due.starved.reduce((sum, { test }) => sum + maxStartupMs(test.execution), 0),
  }
  const again =
    due.starved.length === 0
      ? undefined
      : await options.retry.runExclusively(request, (count, signal) => {
          const some = due.starved.slice(0, count)
          const round = { plan, pending: some, exclusive: true, retries: false, suffix: '.again' }
          return runRound(round, options, { ...run, signal })
        })
  const rounds = again === undefined ? [first] : [first, again]
  if (due.skipped.length > 0 && again?.runs.every(({ result }) => result.verdict === 'passed')) {
    await options.retry.resume()
    // A job is retried once: a run that is starved in this round keeps its verdict.
    const round = { plan, pending: due.skipped, exclusive: false, retries: false, suffix: '.rest' }
    rounds.push(await runRound(round, options, run))
  }
  const runs = rounds.flatMap((round) => round.runs)
  const outcomes = rounds.flatMap((round) => round.outcomes)
  const ranOut = rounds.some((round) => round.ranOut) && jobTimedOut({ jobSeconds: run.budget.seconds })
  const outcome = { ...mergeOutcomes(outcomes, shownOf(runs, outcomes, again)), ...ranOut }
  return { outcome, judged: summarizeTests(tests, runs, outcome, stop) }
}

/** The first outcome that was no success, else the last one. The repetition of a starved run takes its place. */
function shownOf(
  runs: readonly JudgedRun[],
  outcomes: readonly Outcome[],
  again: RoundOutcome | undefined,
): Outcome | undefined {
  const repeated = new Set(again?.runs.map(({ index }) => index))
  const counted = outcomes.filter((_, position) => {
    const run = runs[position]
    return !(run?.starved && repeated.has(run.index))
  })
  return counted.find(({ status }) => status !== 'success') ?? counted.at(-1)
}

async function runRound(
  { plan, pending, exclusive, retries, suffix }: Round,
  { sandbox, retry, onVerdict }: Options,
  options: JobRunOptions,
): Promise<RoundOutcome> {
  const { language, code, judge, stopOnFirstFailure } = plan
  const wasOvercommitted = (ms: number) => retries && retry.wasOvercommitted(ms)
  // Code in a process of its own has nothing to tamper with.
  const remark = judge === undefined ? detectTampering(language.name, code) : undefined
  const outcomes: Outcome[] = []
  const runs: JudgedRun[] = []
  for (const [position, { index, test }] of pending.entries()) {
    const failed = runs.find(({ result }) => result.verdict !== 'passed')
    if (stopOnFirstFailure && failed !== undefined && failed.index !== index) break
    if (options.budget.isSpent && position > 0) return { runs, outcomes, ranOut: true }
    const repetition = pending[position - 1]?.index === index ? `.r${position}` : ''
    const id = `${test.execution.id}${suffix}${repetition}`
    const { outcome, verdict } = await runScript(
      exclusive ? withOwnContainers(test) : test,
      id,
      plan,
      sandbox,
      options,
    )
    outcomes.push(outcome)
    const isLate = outcome.limit === 'job'
    // A repetition cut off by the job's time limit says nothing new about the test case.
    if (isLate && runs.at(-1)?.index === index) return { runs, outcomes, ranOut: true }
    const starved = !exclusive && wasStarved(outcome, test.execution.limits, wasOvercommitted)
    const result = testResult(test.name, outcome, verdict, remark, plan)
    runs.push({ index, result, status: outcome.status, starved, exclusive: exclusive })
    if (pending[position + 1]?.index !== index) reportTest(index, runs, onVerdict)
    if (isLate) return { runs, outcomes, ranOut: true }
  }
  return { runs, outcomes, ranOut: false }
}

/** Runs one script: in the process of the code, or, if the plan has a judge, in one of its own. */
async function runScript(
  test: PlannedScript,
  id: string,
  plan: ScriptsPlan,
  sandbox: Options['sandbox'],
  options: JobRunOptions,
): Promise<ScriptOutcome> {
  const { rules, code, judge } = plan
  if (judge === undefined || rules.split === undefined)
    return runInOneProcess(test, id, plan, sandbox, options)
  const split = await runJudged(test, id, plan, { sandbox, rules: rules.split, code, judge, options })
  if (plan.separation !== 'both' || !isConfirmable(split.verdict)) return split
  // In containers that serve nothing else, because code could leave there what it has read of its script.
  const execution = { ...test.execution, sharedBy: sharedInRole(test.execution, 'confirm') }
  const other = await runInOneProcess({ ...test, execution }, `${id}.confirm`, plan, sandbox, options)
  return confirmed(split, other, test.script)
}

/** A split run after one of the code and the script in one process. */
function confirmed(split: SplitRun, other: ScriptOutcome, script: string): ScriptOutcome {
  const isLate = other.outcome.limit === 'job'
  const both = [split.outcome, other.outcome]
  // What the job's time has cut off says nothing, and a success needs both runs.
  if (isLate && split.verdict.verdict === 'passed') {
    return { outcome: mergeOutcomes(both, other.outcome), verdict: other.verdict }
  }
  if (isLate) return split
  // If a busy host starved the second run, both are made again.
  const shown = other.outcome.status === 'timeout' ? other.outcome : split.outcome
  return {
    outcome: mergeOutcomes(both, shown),
    verdict: confirmVerdict(split.verdict, other.verdict, script),
  }
}

/** Runs one script in a process of its own; a second time if its judge fails. */
async function runJudged(
  test: PlannedScript,
  id: string,
  { network }: Pick<ScriptsPlan, 'network'>,
  context: SplitContext,
): Promise<SplitRun> {
  const first = await runSplit(test, id, context)
  // With a network, a second run would send everything again.
  if (!first.judgeFailed || network !== NO_NETWORK || context.options.budget.isSpent) return first
  const again = await runSplit(withOwnContainers(test), `${id}.retry`, context)
  if (again.outcome.limit === 'job') return first
  return { ...again, outcome: mergeOutcomes([first.outcome, again.outcome], again.outcome) }
}

function testResult(
  name: string,
  { exitCode, signal, wallMs, cpuUserMs, cpuSysMs, memoryPeakBytes }: Outcome,
  { verdict, diff, suspicious }: ScriptVerdict,
  remark: string | undefined,
  { separation }: Pick<ScriptsPlan, 'separation'>,
): TestResult {
  const cpuMs = cpuUserMs === null || cpuSysMs === null ? null : cpuUserMs + cpuSysMs
  const reasons = [suspicious, remark].filter((reason) => reason !== undefined)
  return {
    name,
    verdict,
    exitCode,
    signal,
    wallMs,
    cpuMs,
    memoryPeakBytes,
    diff,
    separation,
    ...(reasons.length > 0 && { suspicious: reasons.join('; ') }),
  }
}

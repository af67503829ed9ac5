import { randomBytes } from 'node:crypto'
import { composeScript, judgeScript, lookAt, type ScriptJudgement } from '@isopod/grading'
import {
  type Job,
  type Language,
  NO_NETWORK,
  type ScriptRules,
  scriptsUnsupported,
  type TestCase,
  type TestResult,
} from '@isopod/protocol'
import { type Execution, jobTimedOut, type Outcome, type TimeBudget } from '@isopod/sandbox'
import { type DeploymentRules, planExecution } from '../plan-execution.ts'
import { type Graded, gradedOf } from './judge-tests.ts'
import { type OnVerdict, tellTest } from './live-verdicts.ts'
import { isStarved, type JudgedRun, type SecondRuns, startupMs, turnsAgain } from './second-run.ts'
import { together } from './together.ts'

/** Where a sandbox runs programs. */
const WORKSPACE = '/workspace'

/** A test of a job, with what it is run as. */
interface PlannedScript {
  readonly name: string
  readonly script: string
  readonly weight: number
  /** Its own stdin, files and limits; the code is still the job's alone. */
  readonly execution: Execution
}

/** The tests of a job that have scripts. */
export interface ScriptTests {
  readonly language: Language
  readonly rules: ScriptRules
  readonly code: string
  readonly stopOnFirstFailure: boolean
  readonly repeat: number
  readonly network: string
  readonly tests: readonly PlannedScript[]
}

/** What came of all of them. */
export interface ScriptsRan {
  /** Of the first run that did not end well, else of the last one; times of all together, memory of the largest. */
  readonly outcome: Outcome
  readonly graded: Graded
}

/**
 * Plans the scripts of a job, each as a program of its own.
 *
 * @returns undefined for a job without; sentences that say why where one cannot be run
 */
export function planScripts(
  delivery: { readonly id: string; readonly attempt: number; readonly job: Job },
  deployment: DeploymentRules,
): ScriptTests | { readonly problems: readonly string[] } | undefined {
  const { id, attempt, job } = delivery
  const cases = (job.tests ?? []).flatMap(({ script, ...test }) =>
    script === undefined ? [] : [{ test, script }],
  )
  const language = deployment.catalogue.find(job.language)
  if (cases.length === 0 || language === undefined) return undefined
  const { script: rules } = language
  if (rules === undefined) {
    return { problems: [scriptsUnsupported(deployment.catalogue.languages, language.name)] }
  }
  const problems: string[] = []
  const tests: PlannedScript[] = []
  for (const [index, { test, script }] of cases.entries()) {
    // Containers are named for what runs in them.
    const own = { id: index === 0 ? id : `${id}.${index + 1}`, attempt, job: withOwn(job, test) }
    const { execution, problems: found = [] } = planExecution(own, deployment)
    const composed = composeScript(rules, { code: job.code, script, ...secrets() })
    problems.push(...found.map((problem) => `tests.${index}: ${problem}`))
    if (composed.problem !== undefined) problems.push(`tests.${index}.script: ${composed.problem}`)
    if (execution === undefined) continue
    tests.push({ name: test.name ?? String(index + 1), script, weight: test.weight, execution })
  }
  if (problems.length > 0) return { problems }
  const { code, stopOnFirstFailure, repeat, network } = job
  return { language, rules, code, stopOnFirstFailure, repeat, network, tests }
}

/** One run to be made of a test. */
interface ScriptTurn {
  readonly index: number
  readonly test: PlannedScript
}

/** How turns are taken. */
interface TurnOptions {
  readonly budget: TimeBudget
  readonly run: (execution: Execution) => Promise<Outcome>
  readonly wasCrowded: SecondRuns['wasCrowded']
  readonly alone: boolean
  /** Behind the name of each container: no two runs have one name. */
  readonly suffix: string
  readonly onVerdict?: OnVerdict | undefined
}

/**
 * Runs the scripts one after the other, and judges each.
 *
 * @param run one execution in the sandbox; what it rejects with ends all
 */
export async function runScripts(
  scripts: ScriptTests,
  run: (execution: Execution, signal?: AbortSignal) => Promise<Outcome>,
  options: { readonly again: SecondRuns } & Pick<TurnOptions, 'budget' | 'onVerdict'>,
): Promise<ScriptsRan> {
  const { tests, repeat, network, stopOnFirstFailure: stop } = scripts
  const { again, budget, onVerdict } = options
  const turns = tests.flatMap((test, index) => Array.from({ length: repeat }, () => ({ index, test })))
  const first = await takeTurns(scripts, turns, {
    ...again,
    run,
    budget,
    onVerdict,
    alone: false,
    suffix: '',
  })
  // Whom they talked to would hear it all again.
  const due = network === NO_NETWORK ? turnsAgain(turns, first.runs, stop) : { starved: [], skipped: [] }
  const second =
    due.starved.length === 0 || first.ranOut
      ? undefined
      : await again.alone(aloneRequest(scripts, due.starved), (count, signal) => {
          const own = (one: Execution) => run(one, signal)
          const how = { ...again, run: own, budget, onVerdict, alone: true, suffix: '.again' }
          return takeTurns(scripts, due.starved.slice(0, count), how)
        })
  const all = second === undefined ? [first] : [first, second]
  if (due.skipped.length > 0 && second?.runs.every(({ result }) => result.verdict === 'passed')) {
    await again.resume()
    // It is done once: what is starved now stays what it is.
    const how = { run, budget, onVerdict, wasCrowded: () => false, alone: false, suffix: '.rest' }
    all.push(await takeTurns(scripts, due.skipped, how))
  }
  const runs = all.flatMap((taken) => taken.runs)
  const outcomes = all.flatMap((taken) => taken.outcomes)
  // What was starved is not shown where there is something in its place.
  const replaced = new Set(second?.runs.map(({ index }) => index))
  const counted = outcomes.filter((_, at) => {
    const ran = runs[at]
    return !(ran?.starved && replaced.has(ran.index))
  })
  const shown = counted.find(({ status }) => status !== 'success') ?? counted.at(-1)
  const ranOut = all.some((taken) => taken.ranOut) && jobTimedOut({ jobSeconds: budget.seconds })
  const outcome = { ...together(outcomes, shown), ...ranOut }
  return { outcome, graded: gradedOf(tests, runs, outcome, stop) }
}

function aloneRequest({ language }: ScriptTests, turns: readonly ScriptTurn[]) {
  const timeoutsMs = turns.map(({ test }) => test.execution.limits.timeoutSeconds * 1000)
  // Each has a container of its own, and what the compiler makes of it.
  return { timeoutsMs, extraMs: turns.length * startupMs(language) }
}

/** What came of turns that were taken once. */
interface TurnsTaken {
  readonly runs: readonly JudgedRun[]
  readonly outcomes: readonly Outcome[]
  /** The job had no time left for all of them. */
  readonly ranOut: boolean
}

async function takeTurns(
  { language, rules, code, stopOnFirstFailure }: ScriptTests,
  turns: readonly ScriptTurn[],
  { run, budget, wasCrowded, alone, suffix, onVerdict }: TurnOptions,
): Promise<TurnsTaken> {
  const looks = lookAt(language.name, code)
  const outcomes: Outcome[] = []
  const runs: JudgedRun[] = []
  for (const [at, { index, test }] of turns.entries()) {
    const failed = runs.find(({ result }) => result.verdict !== 'passed')
    if (stopOnFirstFailure && failed !== undefined && failed.index !== index) break
    if (budget.isSpent && at > 0) return { runs, outcomes, ranOut: true }
    const { name, script, execution } = test
    const { report, tag } = secrets()
    const { program = code } = composeScript(rules, { code, script, report: `${WORKSPACE}/${report}`, tag })
    const id = turnId(execution, turns[at - 1]?.index === index ? at : undefined, suffix)
    const outcome = await run({ ...execution, id, code: program, report })
    const starved = !alone && isStarved(outcome, execution.limits, wasCrowded)
    const result = testResult(name, outcome, judge(outcome, rules), looks)
    outcomes.push(outcome)
    const isLate = outcome.limit === 'job'
    // That it was begun once more says nothing about a test that has run.
    if (isLate && runs.at(-1)?.index === index) return { runs, outcomes, ranOut: true }
    runs.push({ index, result, status: outcome.status, starved, alone })
    if (turns[at + 1]?.index !== index) tellTest(index, runs, onVerdict)
    if (isLate) return { runs, outcomes, ranOut: true }
  }
  return { runs, outcomes, ranOut: false }
}

/** Containers are named for what runs in them: no two runs have one name. */
function turnId(execution: Execution, repeated: number | undefined, suffix: string): string {
  const id = `${execution.id}${suffix}`
  return repeated === undefined ? id : `${id}.r${repeated}`
}

/** What the host must have free while they run. */
export function mostOf({ tests }: ScriptTests): { memoryMb: number; cpus: number } {
  return {
    memoryMb: Math.max(...tests.map(({ execution }) => execution.limits.memoryMb)),
    cpus: Math.max(...tests.map(({ execution }) => execution.limits.cpus)),
  }
}

/** What nobody can know before the program runs: a name for its report, and one for its own names. */
function secrets(): { report: string; tag: string } {
  return { report: `isopod-${randomBytes(16).toString('hex')}`, tag: `x${randomBytes(16).toString('hex')}` }
}

function withOwn(job: Job, { stdin, files, limits }: Omit<TestCase, 'script'>): Job {
  return {
    ...job,
    stdin: stdin ?? job.stdin,
    files: files === undefined ? job.files : { ...job.files, ...files },
    limits: { ...job.limits, ...limits },
  }
}

function judge(outcome: Outcome, rules: ScriptRules): ScriptJudgement {
  const { status, exitCode, errorMessage, compileOutput = '' } = outcome
  const stderr = status === 'compile_error' ? compileOutput : Buffer.from(outcome.stderr.bytes).toString()
  const report = outcome.report && Buffer.from(outcome.report).toString()
  return judgeScript({ status, exitCode, errorMessage, stderr, report }, rules.assertion)
}

function testResult(
  name: string,
  { exitCode, signal, wallMs, cpuUserMs, cpuSysMs, memoryPeakBytes }: Outcome,
  { verdict, diff, suspicious }: ScriptJudgement,
  looks: string | undefined,
): TestResult {
  const cpuMs = cpuUserMs === null || cpuSysMs === null ? null : cpuUserMs + cpuSysMs
  const reasons = [suspicious, looks].filter((reason) => reason !== undefined)
  return {
    name,
    verdict,
    exitCode,
    signal,
    wallMs,
    cpuMs,
    memoryPeakBytes,
    diff,
    ...(reasons.length > 0 && { suspicious: reasons.join('; ') }),
  }
}

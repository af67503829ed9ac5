import { randomBytes } from 'node:crypto'
import { composeScript, judgeScript, lookAt, type ScriptJudgement, summarize } from '@isopod/grading'
import {
  type Job,
  type Language,
  type ScriptRules,
  scriptsUnsupported,
  type TestCase,
  type TestResult,
} from '@isopod/protocol'
import type { Execution, Outcome } from '@isopod/sandbox'
import { type DeploymentRules, planExecution } from '../plan-execution.ts'
import { failureText, type Graded, skipped } from './judge-tests.ts'

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
  return { language, rules, code: job.code, stopOnFirstFailure: job.stopOnFirstFailure, tests }
}

/**
 * Runs the scripts one after the other, and judges each.
 *
 * @param run one execution in the sandbox; what it rejects with ends all
 */
export async function runScripts(
  { language, rules, code, stopOnFirstFailure, tests }: ScriptTests,
  run: (execution: Execution) => Promise<Outcome>,
): Promise<ScriptsRan> {
  const looks = lookAt(language.name, code)
  const outcomes: Outcome[] = []
  const results: TestResult[] = []
  for (const { name, script, execution } of tests) {
    if (stopOnFirstFailure && results.some(({ verdict }) => verdict !== 'passed')) {
      results.push(skipped(name))
      continue
    }
    const { report, tag } = secrets()
    const { program = code } = composeScript(rules, { code, script, report: `${WORKSPACE}/${report}`, tag })
    const outcome = await run({ ...execution, code: program, report })
    outcomes.push(outcome)
    results.push(testResult(name, outcome, judge(outcome, rules), looks))
  }
  const judged = tests.map(({ weight }, index) => ({
    weight,
    result: results[index] ?? skipped(''),
    status: outcomes[index]?.status ?? null,
  }))
  const errorMessage = failureText(results)
  return { outcome: together(outcomes), graded: { tests: results, summary: summarize(judged), errorMessage } }
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

function together(outcomes: readonly Outcome[]): Outcome {
  const shown = outcomes.find(({ status }) => status !== 'success') ?? outcomes.at(-1)
  if (shown === undefined) throw new Error('a job with tests runs at least one')
  const sum = (of: (outcome: Outcome) => number | null) =>
    outcomes.reduce<number | null>((total, each) => plus(total, of(each)), 0)
  return {
    ...shown,
    wallMs: sum(({ wallMs }) => wallMs),
    cpuUserMs: sum(({ cpuUserMs }) => cpuUserMs),
    cpuSysMs: sum(({ cpuSysMs }) => cpuSysMs),
    throttledMs: sum(({ throttledMs }) => throttledMs),
    memoryPeakBytes: Math.max(...outcomes.map(({ memoryPeakBytes }) => memoryPeakBytes ?? 0)) || null,
    timings: {
      acquire: sum(({ timings }) => timings.acquire) ?? 0,
      run: sum(({ timings }) => timings.run) ?? 0,
      collect: sum(({ timings }) => timings.collect) ?? 0,
    },
  }
}

function plus(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}

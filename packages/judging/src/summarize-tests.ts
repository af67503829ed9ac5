import { failureOf, type JudgedTest, summarize } from '@isopod/grading'
import type { Result, TestCase, TestResult } from '@isopod/protocol'
import type { Outcome } from '@isopod/sandbox'
import { foldByTest, isFailure, type JudgedRun } from './judged-run.ts'

/** What judging adds to the result of a job. */
export type JudgedPart = Partial<Pick<Result, 'summary' | 'errorMessage' | 'flaky'>> & {
  readonly tests?: TestResult[]
}

/**
 * Summarizes all judged runs of a job's test cases.
 *
 * @param tests each with its name
 * @param outcome of the job's executions together
 */
export function summarizeTests(
  tests: readonly Pick<TestCase, 'name' | 'weight'>[],
  runs: readonly JudgedRun[],
  { status, limit, errorMessage }: Pick<Outcome, 'status' | 'limit' | 'errorMessage'>,
  stopOnFirstFailure: boolean,
): JudgedPart {
  const ranOut = limit === 'job'
  const unstarted = runs.length === 0 && !ranOut ? failureOf(status) : undefined
  const folded = foldByTest(runs)
  let stopped = false
  const judged = tests.map(({ name = '', weight }, index): JudgedTest & { readonly result: TestResult } => {
    const none = skipped(name)
    if (unstarted !== undefined) {
      return { weight, status, result: { ...none, verdict: unstarted, diff: errorMessage } }
    }
    const run = folded.get(index)
    // A checker program can refuse an output after later test cases have run; they count as skipped too.
    if (stopped || run === undefined) return { weight, status: null, result: none }
    stopped = stopOnFirstFailure && isFailure(run.result)
    return { weight, status: run.status, result: run.result }
  })
  const results = judged.map(({ result }) => result)
  const flaky = results.filter((result) => result.flaky).length
  return {
    tests: results,
    summary: { ...summarize(judged), ...(flaky > 0 && { flaky }) },
    errorMessage: ranOut
      ? `${errorMessage}; ${unrunText(results)}`
      : unstarted === undefined
        ? failureText(results)
        : errorMessage,
    ...(flaky > 0 && { flaky: true }),
  }
}

/** The result of a test case that was not run. */
function skipped(name: string): TestResult {
  const nothing = {
    exitCode: null,
    signal: null,
    wallMs: null,
    cpuMs: null,
    memoryPeakBytes: null,
    diff: null,
  }
  return { name, verdict: 'skipped', ...nothing }
}

function unrunText(tests: readonly TestResult[]): string {
  const unrun = tests.filter(({ verdict }) => verdict === 'skipped')
  return `${unrun.length} of ${tests.length} tests were not run`
}

/** One sentence about the test cases that did not pass; null if all did. */
function failureText(tests: readonly TestResult[]): string | null {
  const failed = tests.filter(({ verdict }) => verdict !== 'passed')
  const [first] = failed
  if (first === undefined) return null
  const { name, verdict, diff } = first
  const why = [verdict.replaceAll('_', ' '), ...(diff === null ? [] : [diff])].join(': ')
  return `${failed.length} of ${tests.length} tests did not pass; the first is "${name}": ${why}`
}

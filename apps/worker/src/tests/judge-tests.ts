import { type Checker, failureOf, type JudgedTest, summarize } from '@isopod/grading'
import type { Result, TestCase, TestResult } from '@isopod/protocol'
import type { Outcome, RunOutcome } from '@isopod/sandbox'
import type { CheckedOutput } from './checker-programs.ts'
import type { InteractorWord } from './interactors.ts'
import type { OutputChecks } from './output-checks.ts'
import { testName } from './plan-tests.ts'

/** Characters of what a program said last, where it did not end well. */
const SHOWN = 300

/** What a job's tests add to its result. */
export type Graded = Pick<Result, 'tests' | 'summary' | 'errorMessage'>

/** What the judge is made with. */
export interface TestJudgeOptions {
  readonly tests: readonly TestCase[]
  readonly stopOnFirstFailure: boolean
  readonly checks: Pick<OutputChecks, 'check'>
}

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] }
interface Entry {
  result: Mutable<TestResult>
  status: JudgedTest['status']
}

/** Takes what came of each test's run to its verdict. */
export class TestJudge {
  readonly #options: TestJudgeOptions
  readonly #entries: Entry[]
  readonly #unchecked: CheckedOutput[] = []
  #told = 0

  constructor(options: TestJudgeOptions) {
    this.#options = options
    this.#entries = options.tests.map((test, index) => ({
      result: skipped(testName(test, index)),
      status: null,
    }))
  }

  /** Outputs that passed so far and are for a checker program to judge. */
  get unchecked(): readonly CheckedOutput[] {
    return this.#unchecked
  }

  /** Takes the run of a test, and what its interactor said. @returns whether the next one is to be run */
  async take(outcome: RunOutcome, index: number, word?: InteractorWord): Promise<boolean> {
    const test = this.#options.tests[index]
    const entry = this.#entries[index]
    if (test === undefined || entry === undefined) throw new Error(`there is no test ${index}`)
    this.#told++
    const { exitCode, signal, wallMs, cpuUserMs, cpuSysMs, memoryPeakBytes } = outcome
    const cpuMs = cpuUserMs === null && cpuSysMs === null ? null : (cpuUserMs ?? 0) + (cpuSysMs ?? 0)
    const judged = word === undefined ? await this.#judge(test, outcome, index) : judgedBy(word)
    entry.status = outcome.status
    entry.result = { ...entry.result, exitCode, signal, wallMs, cpuMs, memoryPeakBytes, ...judged }
    return judged.verdict === 'passed' || !this.#options.stopOnFirstFailure
  }

  /** Takes what a checker program says of an output: undefined accepts it. */
  takeChecked(index: number, difference: string | undefined): void {
    const entry = this.#entries[index]
    if (entry === undefined || difference === undefined) return
    entry.result = { ...entry.result, verdict: 'wrong_answer', diff: difference }
  }

  /** What all of it comes to, given what came of the execution as a whole. */
  finish(outcome: Pick<Outcome, 'status' | 'errorMessage'>): Graded {
    const unstarted = this.#told === 0 ? failureOf(outcome.status) : undefined
    if (unstarted !== undefined) {
      for (const entry of this.#entries) {
        entry.result = { ...entry.result, verdict: unstarted, diff: outcome.errorMessage }
        entry.status = outcome.status
      }
    }
    this.#skipRest()
    const tests = this.#entries.map(({ result }) => result)
    const summary = summarize(
      this.#entries.map(({ result, status }, index) => ({
        result,
        status,
        weight: this.#options.tests[index]?.weight ?? 1,
      })),
    )
    const errorMessage = unstarted === undefined ? failureText(tests) : outcome.errorMessage
    return { tests, summary, errorMessage }
  }

  async #judge(
    test: TestCase,
    outcome: RunOutcome,
    index: number,
  ): Promise<Pick<TestResult, 'verdict' | 'diff'>> {
    const failure = failureOf(outcome.status)
    if (failure !== undefined) return { verdict: failure, diff: lastWords(outcome) }
    const { expected, checker } = test
    const { stdout } = outcome
    const program = typeof checker === 'object' && checker.type === 'program' ? checker : undefined
    if (expected === undefined && program === undefined) return { verdict: 'passed', diff: null }
    if (stdout.truncated) {
      const diff = `printed ${stdout.produced} bytes, of which limits.outputBytes leaves ${stdout.bytes.byteLength}`
      return { verdict: 'output_exceeded', diff }
    }
    if (program !== undefined) {
      this.#unchecked.push({ index, test, program, stdout: stdout.bytes })
      return { verdict: 'passed', diff: null }
    }
    const text = decoded(stdout.bytes)
    if (text === undefined) return { verdict: 'wrong_answer', diff: 'the output is not valid UTF-8' }
    const difference = await this.#options.checks.check(named(checker), expected ?? '', text)
    return difference === undefined
      ? { verdict: 'passed', diff: null }
      : { verdict: 'wrong_answer', diff: difference }
  }

  /** A test that a checker program refused stops the rest, too, though that had run by then. */
  #skipRest(): void {
    if (!this.#options.stopOnFirstFailure) return
    const failed = this.#entries.findIndex(({ result }) => result.verdict !== 'passed')
    if (failed < 0) return
    for (const [index, test] of this.#options.tests.entries()) {
      if (index > failed) this.#entries[index] = { result: skipped(testName(test, index)), status: null }
    }
  }
}

function judgedBy({ difference }: InteractorWord): Pick<TestResult, 'verdict' | 'diff'> {
  return difference === undefined
    ? { verdict: 'passed', diff: null }
    : { verdict: 'wrong_answer', diff: difference }
}

/** The result of a test that was not run. */
export function skipped(name: string): TestResult {
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

function named(checker: TestCase['checker']): Checker {
  if (typeof checker === 'string') return { type: checker }
  if (checker.type === 'numbers') return checker
  throw new Error('a checker program does not run here')
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** How a run ended, with the end of what it wrote to stderr. */
function lastWords({ errorMessage, stderr }: RunOutcome): string {
  const said = Buffer.from(stderr.bytes.subarray(-4 * SHOWN))
    .toString()
    .trim()
  const shown = said.length > SHOWN ? `…${said.slice(-SHOWN)}` : said
  return [errorMessage ?? 'the program failed', ...(shown === '' ? [] : [shown])].join('; stderr: ')
}

/** One sentence about the tests that did not pass; null if all did. */
export function failureText(tests: readonly TestResult[]): string | null {
  const failed = tests.filter(({ verdict }) => verdict !== 'passed')
  const [first] = failed
  if (first === undefined) return null
  const { name, verdict, diff } = first
  const why = [verdict.replaceAll('_', ' '), ...(diff === null ? [] : [diff])].join(': ')
  return `${failed.length} of ${tests.length} tests did not pass; the first is "${name}": ${why}`
}

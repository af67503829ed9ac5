import { type Checker, failureOf, type JudgedTest, summarize } from '@isopod/grading'
import type { Result, TestCase, TestResult } from '@isopod/protocol'
import type { Outcome, RunInput, RunOutcome } from '@isopod/sandbox'
import type { CheckedOutput } from './checker-programs.ts'
import type { InteractorWord } from './interactors.ts'
import { type OnVerdict, tellTest } from './live-verdicts.ts'
import type { JobChecks } from './output-checks.ts'
import { testName } from './plan-tests.ts'
import { foldTests, isStarved, type JudgedRun, type SecondRuns } from './second-run.ts'

/** What is said of a test that was begun when its job had no time left. */
const RAN_OUT = 'the time of the whole job was used up (limits.jobSeconds)'

/** Characters of what a program said last, where it did not end well. */
const SHOWN = 300

/** What a job's tests add to its result. */
export type Graded = Pick<Result, 'tests' | 'summary' | 'errorMessage' | 'flaky'>

/** One run to be made of a test. */
export interface Turn {
  /** Number of the test, from 0; the runs of one test follow each other. */
  readonly index: number
  /** With its name. */
  readonly test: TestCase
  readonly input: RunInput
}

/** What the judge is made with. */
export interface TestJudgeOptions {
  readonly turns: readonly Turn[]
  readonly stopOnFirstFailure: boolean
  readonly checks: Pick<JobChecks, 'check'>
  readonly wasCrowded: SecondRuns['wasCrowded']
  /** Whether the runs have the host to themselves. */
  readonly alone: boolean
  readonly onVerdict?: OnVerdict | undefined
}

/** Takes what came of each run to its verdict. */
export class TestJudge {
  readonly #options: TestJudgeOptions
  readonly #runs: JudgedRun[] = []
  readonly #unchecked: CheckedOutput[] = []
  #failed: RunOutcome | undefined
  #stops = false
  #ranOut = false

  constructor(options: TestJudgeOptions) {
    this.#options = options
  }

  /** The runs so far, in the order of their turns. */
  get runs(): readonly JudgedRun[] {
    return this.#runs
  }

  /** The first that did not end well, but for those whose end is in doubt; undefined if each other did. */
  get failed(): RunOutcome | undefined {
    return this.#failed
  }

  /** Outputs that passed so far and are for a checker program to judge, each with the number of its turn. */
  get unchecked(): readonly CheckedOutput[] {
    return this.#unchecked
  }

  /** Whether the job had no time left for all of it. */
  get ranOut(): boolean {
    return this.#ranOut
  }

  /** Takes the run of the next turn, and what its interactor said. @returns whether the one behind it is to be run */
  async take(outcome: RunOutcome, at: number, word?: InteractorWord): Promise<boolean> {
    const { turns, stopOnFirstFailure, wasCrowded, alone } = this.#options
    const turn = turns[at]
    if (turn === undefined) throw new Error(`there is no turn ${at}`)
    const { test, index, input } = turn
    const { exitCode, signal, wallMs, cpuUserMs, cpuSysMs, memoryPeakBytes } = outcome
    const cpuMs = cpuUserMs === null && cpuSysMs === null ? null : (cpuUserMs ?? 0) + (cpuSysMs ?? 0)
    const isLate = outcome.limit === 'job' || word?.ranOut === true
    if (isLate) {
      this.#ranOut = true
      // That it was begun once more says nothing about a test that has run.
      if (this.#runs.at(-1)?.index === index) return false
    }
    const starved = !alone && isStarved(outcome, input.limits, wasCrowded)
    const judged = isLate ? LATE : word === undefined ? await this.#judge(test, outcome, at) : judgedBy(word)
    const name = testName(test, index)
    const result = { name, ...judged, exitCode, signal, wallMs, cpuMs, memoryPeakBytes }
    this.#runs.push({ index, result, status: outcome.status, starved, alone })
    if (outcome.status !== 'success' && !starved) this.#failed ??= outcome
    this.#stops ||= isLate || (stopOnFirstFailure && judged.verdict !== 'passed')
    if (!this.#unchecked.some((output) => turns[output.index]?.index === index)) this.#tell(at)
    return !this.#stops || (!isLate && turns[at + 1]?.index === index)
  }

  /** Takes that the job had no time left to have the output of a turn judged. */
  takeUnchecked(at: number): void {
    this.#ranOut = true
    const run = this.#runs[at]
    if (run !== undefined) this.#runs[at] = { ...run, result: { ...run.result, ...LATE } }
    this.#tell(at)
  }

  /** Takes what a checker program says of the output of a turn: undefined accepts it. */
  takeChecked(at: number, difference: string | undefined): void {
    const run = this.#runs[at]
    if (run !== undefined && difference !== undefined) {
      this.#runs[at] = { ...run, result: { ...run.result, verdict: 'wrong_answer', diff: difference } }
    }
    this.#tell(at)
  }

  /** Tells what a test came to, once the turn is its last one. */
  #tell(at: number): void {
    const { turns, onVerdict } = this.#options
    const index = turns[at]?.index
    if (index !== undefined && turns[at + 1]?.index !== index) tellTest(index, this.#runs, onVerdict)
  }

  async #judge(
    test: TestCase,
    outcome: RunOutcome,
    at: number,
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
      this.#unchecked.push({ index: at, test, program, stdout: stdout.bytes })
      return { verdict: 'passed', diff: null }
    }
    const text = decoded(stdout.bytes)
    if (text === undefined) return { verdict: 'wrong_answer', diff: 'the output is not valid UTF-8' }
    const difference = await this.#options.checks.check(named(checker), expected ?? '', text)
    return difference === undefined
      ? { verdict: 'passed', diff: null }
      : { verdict: 'wrong_answer', diff: difference }
  }
}

/**
 * What all runs of a job's tests come to, given what came of the execution as a whole.
 *
 * @param tests each with its name
 */
export function gradedOf(
  tests: readonly Pick<TestCase, 'name' | 'weight'>[],
  runs: readonly JudgedRun[],
  { status, limit, errorMessage }: Pick<Outcome, 'status' | 'limit' | 'errorMessage'>,
  stopOnFirstFailure: boolean,
): Graded {
  const ranOut = limit === 'job'
  const unstarted = runs.length === 0 && !ranOut ? failureOf(status) : undefined
  const folded = foldTests(runs)
  let stopped = false
  const judged = tests.map(({ name = '', weight }, index): JudgedTest & { readonly result: TestResult } => {
    const none = skipped(name)
    if (unstarted !== undefined) {
      return { weight, status, result: { ...none, verdict: unstarted, diff: errorMessage } }
    }
    const run = folded.get(index)
    // One that a checker program refused stops the rest, too, though that had run by then.
    if (stopped || run === undefined) return { weight, status: null, result: none }
    stopped = stopOnFirstFailure && run.result.verdict !== 'passed'
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

const LATE = { verdict: 'timeout', diff: RAN_OUT } as const

function judgedBy({ difference }: InteractorWord): Pick<TestResult, 'verdict' | 'diff'> {
  return difference === undefined
    ? { verdict: 'passed', diff: null }
    : { verdict: 'wrong_answer', diff: difference }
}

/** The result of a test that was not run. */
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

function unrunText(tests: readonly TestResult[]): string {
  const unrun = tests.filter(({ verdict }) => verdict === 'skipped')
  return `${unrun.length} of ${tests.length} tests were not run`
}

/** One sentence about the tests that did not pass; null if all did. */
function failureText(tests: readonly TestResult[]): string | null {
  const failed = tests.filter(({ verdict }) => verdict !== 'passed')
  const [first] = failed
  if (first === undefined) return null
  const { name, verdict, diff } = first
  const why = [verdict.replaceAll('_', ' '), ...(diff === null ? [] : [diff])].join(': ')
  return `${failed.length} of ${tests.length} tests did not pass; the first is "${name}": ${why}`
}

import { type Checker, failureOf } from '@isopod/grading'
import type { TestCase, TestResult } from '@isopod/protocol'
import { type RunInput, type RunOutcome, wasStarved } from '@isopod/sandbox'
import type { JobChecks } from '../comparison/output-checks.ts'
import type { ContentionRetry } from '../contention-retry.ts'
import { failureText } from '../failure-text.ts'
import type { CheckedOutput } from '../helpers/checker-programs.ts'
import type { JudgeAnswer } from '../helpers/judge-answer.ts'
import { isFailure, type JudgedRun } from '../judged-run.ts'
import { type OnVerdict, reportTest } from '../verdict-events.ts'

/** The verdict of a test case that was running when the job's time ran out. */
const JOB_TIMED_OUT = {
  verdict: 'timeout',
  diff: 'the time of the whole job was used up (limits.jobSeconds)',
} as const

type CaseVerdict = Pick<TestResult, 'verdict' | 'diff'>

const PASSED: CaseVerdict = { verdict: 'passed', diff: null }

/** One run of a test case that has not been made. */
export interface PendingRun {
  /** Index of the test case; the runs of one test case are consecutive. */
  readonly index: number
  readonly test: TestCase & { readonly name: string }
  readonly input: RunInput
}

/** Options of a {@link TestJudge}. */
export interface TestJudgeOptions {
  readonly pending: readonly PendingRun[]
  readonly stopOnFirstFailure: boolean
  readonly checks: Pick<JobChecks, 'check'>
  readonly wasOvercommitted: ContentionRetry['wasOvercommitted']
  /** Whether nothing else runs on the host. */
  readonly exclusive: boolean
  readonly onVerdict?: OnVerdict | undefined
}

/** Decides the verdict of each run of one execution. Runs are named by their position in `pending`. */
export class TestJudge {
  readonly #options: TestJudgeOptions
  readonly #runs: JudgedRun[] = []
  readonly #unchecked: CheckedOutput[] = []
  /** Positions of the outputs that no checker program has judged yet. */
  readonly #unanswered = new Set<number>()
  #last: RunOutcome | undefined
  #failed: RunOutcome | undefined
  #stops = false
  #ranOut = false

  constructor(options: TestJudgeOptions) {
    this.#options = options
  }

  /** The runs so far, in their order. */
  get runs(): readonly JudgedRun[] {
    return this.#runs
  }

  /** The first run that failed and is not to be repeated. */
  get failed(): RunOutcome | undefined {
    return this.#failed
  }

  /** The run whose end the job shows: the first that failed and is not to be repeated, else the last. */
  get shown(): RunOutcome | undefined {
    return this.#failed ?? this.#last
  }

  /** Outputs that passed so far and that a checker program has to judge. */
  get unchecked(): readonly CheckedOutput[] {
    return this.#unchecked
  }

  /** Whether the job's time ran out before all runs. */
  get ranOut(): boolean {
    return this.#ranOut
  }

  /** Judges the next run. @returns whether the run after it should be made */
  async add(outcome: RunOutcome, position: number, answer?: JudgeAnswer): Promise<boolean> {
    const { pending, stopOnFirstFailure, wasOvercommitted, exclusive } = this.#options
    const run = pending[position]
    if (run === undefined) throw new Error(`there is no run ${position}`)
    const { test, index, input } = run
    const isLate = outcome.limit === 'job' || answer?.kind === 'late'
    if (isLate) {
      this.#ranOut = true
      // A repetition cut off by the job's time limit says nothing new about the test case.
      if (this.#runs.at(-1)?.index === index) return false
    }
    const isJudgeStarved = answer?.kind === 'failed' && answer.starved
    const starved = !exclusive && (isJudgeStarved || wasStarved(outcome, input.limits, wasOvercommitted))
    const decided = isLate
      ? JOB_TIMED_OUT
      : answer === undefined
        ? await this.#judge(test, outcome, position)
        : verdictOfAnswer(answer)
    const { exitCode, signal, wallMs, cpuUserMs, cpuSysMs, memoryPeakBytes } = outcome
    const cpuMs = cpuUserMs === null && cpuSysMs === null ? null : (cpuUserMs ?? 0) + (cpuSysMs ?? 0)
    const result = { name: test.name, ...decided, exitCode, signal, wallMs, cpuMs, memoryPeakBytes }
    this.#runs.push({ index, result, status: outcome.status, starved, exclusive })
    this.#last = outcome
    if (outcome.status !== 'success' && !starved) this.#failed ??= outcome
    this.#stops ||= isLate || (stopOnFirstFailure && isFailure(decided))
    this.#report(position)
    return !this.#stops || (!isLate && pending[position + 1]?.index === index)
  }

  /** Records a checker program's answer about the output of this run. */
  addChecked(position: number, answer: JudgeAnswer): void {
    const run = this.#runs[position]
    if (answer.kind === 'late') this.#ranOut = true
    if (run !== undefined && answer.kind !== 'accepted') {
      this.#runs[position] = { ...run, result: { ...run.result, ...verdictOfAnswer(answer) } }
    }
    this.#unanswered.delete(position)
    this.#report(position)
  }

  /** Reports the verdict of a test case once all of its runs are judged. */
  #report(position: number): void {
    const { pending, onVerdict } = this.#options
    const index = pending[position]?.index
    if (index === undefined || pending[this.#runs.length]?.index === index) return
    const isOpen = [...this.#unanswered].some((other) => pending[other]?.index === index)
    if (!isOpen) reportTest(index, this.#runs, onVerdict)
  }

  async #judge(test: TestCase, outcome: RunOutcome, position: number): Promise<CaseVerdict> {
    const failure = failureOf(outcome.status)
    if (failure !== undefined) return { verdict: failure, diff: failureText(outcome) }
    const { expected, checker } = test
    const { stdout } = outcome
    const program = typeof checker === 'object' && checker.type === 'program' ? checker : undefined
    if (expected === undefined && program === undefined) return PASSED
    if (stdout.truncated) {
      const diff = `printed ${stdout.produced} bytes, of which limits.outputBytes leaves ${stdout.bytes.byteLength}`
      return { verdict: 'output_exceeded', diff }
    }
    if (program !== undefined) {
      this.#unchecked.push({ position, test, program, stdout: stdout.bytes })
      this.#unanswered.add(position)
      return PASSED
    }
    const text = decoded(stdout.bytes)
    if (text === undefined) return verdictOf('the output is not valid UTF-8')
    return verdictOf(await this.#options.checks.check(builtIn(checker), expected ?? '', text))
  }
}

function verdictOfAnswer(answer: JudgeAnswer): CaseVerdict {
  switch (answer.kind) {
    case 'accepted':
      return PASSED
    case 'refused':
      return { verdict: 'wrong_answer', diff: answer.difference }
    case 'failed':
      return { verdict: 'judge_error', diff: answer.message }
    case 'late':
      return JOB_TIMED_OUT
    default:
      return answer satisfies never
  }
}

function verdictOf(difference: string | undefined): CaseVerdict {
  return difference === undefined ? PASSED : { verdict: 'wrong_answer', diff: difference }
}

function builtIn(checker: TestCase['checker']): Checker {
  if (typeof checker === 'string') return { type: checker }
  if (checker.type === 'numbers') return checker
  throw new Error('a checker program is not a built-in checker')
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

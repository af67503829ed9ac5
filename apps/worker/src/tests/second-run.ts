import { foldRuns, type JudgedTest, type RepeatedRun } from '@isopod/grading'
import type { Language, Limits, TestResult } from '@isopod/protocol'
import type { Execution, RunOutcome } from '@isopod/sandbox'

/** The part of the processor time within its reach that a program must have been kept from for its timeout to be in doubt. */
const MARGIN = 0.2
/** A program that used less of it waited for something else. */
const LEAST_USE = 0.05

/** Starting a container, at most, where nothing else runs, in milliseconds. */
const START_MS = 5_000

/** What a job asks to run alone. */
export interface AloneRequest {
  /** Wall-clock limit of each run, in their order. */
  readonly timeoutsMs: readonly number[]
  /** What may come on top of these. */
  readonly extraMs: number
}

/** How a job gets its host to itself. */
export interface SecondRuns {
  /** Whether other executions of this worker ran within the last so many milliseconds. */
  wasCrowded(ms: number): boolean
  /**
   * Gives the job's share back, waits until nothing else runs, and has the first `count` of the runs made: as many as the
   * worker's allowance is enough for. To be called once.
   *
   * @returns undefined if the worker's bounds do not let them be made, or not to their end
   */
  alone<T>(
    request: AloneRequest,
    run: (count: number, signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined>
  /** Takes the share again that `alone` gave back. */
  resume(): Promise<void>
}

/** One judged run of a test. */
export interface JudgedRun extends RepeatedRun {
  /** Number of its test, from 0. */
  readonly index: number
  readonly result: TestResult
  readonly status: JudgedTest['status']
}

/**
 * Whether a run that has just timed out wanted to compute and could not, as others ran beside it: it had less of the processor
 * than a program with one thread could have had, beyond what its own quota cost. One that slept, or had what its quota gives,
 * is none; nor is one whose author counts CPU seconds, which are the same on every host.
 */
export function isStarved(
  outcome: Pick<RunOutcome, 'status' | 'limit' | 'wallMs' | 'cpuUserMs' | 'cpuSysMs' | 'throttledMs'>,
  { cpus, cpuSeconds }: Pick<Limits, 'cpus' | 'cpuSeconds'>,
  wasCrowded: SecondRuns['wasCrowded'],
): boolean {
  const { status, limit, wallMs, cpuUserMs, cpuSysMs, throttledMs } = outcome
  if (status !== 'timeout' || limit !== 'timeout' || cpuSeconds !== null) return false
  if (wallMs === null || cpuUserMs === null || cpuSysMs === null) return false
  const reach = Math.min(Math.min(cpus, 1) * wallMs, wallMs - (throttledMs ?? 0))
  const used = cpuUserMs + cpuSysMs
  return used >= LEAST_USE * reach && used < (1 - MARGIN) * reach && wasCrowded(wallMs)
}

/** What is to run again of a job's turns. */
export interface TurnsAgain<Turn> {
  /** Alone: each test with a starved run, once. */
  readonly starved: readonly Turn[]
  /** Beside others, if all of these pass: what was skipped behind them. */
  readonly skipped: readonly Turn[]
}

/**
 * What is to run again of a job's turns: each test with a starved run; where a failure stops the rest, the first that failed,
 * if it was starved, and then all that was skipped behind it.
 */
export function turnsAgain<Turn extends { readonly index: number }>(
  turns: readonly Turn[],
  runs: readonly JudgedRun[],
  stopOnFirstFailure: boolean,
): TurnsAgain<Turn> {
  const starved = new Set(runs.filter((run) => run.starved).map(({ index }) => index))
  const once = turns.filter(({ index }, at) => starved.has(index) && turns[at - 1]?.index !== index)
  if (!stopOnFirstFailure) return { starved: once, skipped: [] }
  const failed = runs.filter(({ result }) => result.verdict !== 'passed').map(({ index }) => index)
  const first = Math.min(...failed)
  if (!starved.has(first)) return { starved: [], skipped: [] }
  return {
    starved: once.filter(({ index }) => index === first),
    skipped: turns.filter(({ index }) => index > first),
  }
}

/** What a container and a compile run may take before a program starts, in milliseconds. */
export function startupMs({ compile, compile_timeout_seconds }: Language): number {
  return START_MS + (compile === undefined ? 0 : compile_timeout_seconds * 1000)
}

/** What the second run of an execution is named for: containers are named for what runs in them. */
export function secondId({ id }: Pick<Execution, 'id'>): string {
  return `${id}.again`
}

/** The result of each test that ran, by its number. */
export function foldTests(runs: readonly JudgedRun[]): ReadonlyMap<number, JudgedRun> {
  const folded = new Map<number, JudgedRun>()
  for (const [index, ofTest] of Map.groupBy(runs, (run) => run.index)) {
    const found = foldRuns(ofTest)
    if (found === undefined) continue
    const { run, flaky } = found
    // What one run let slip does not become good by another.
    const suspicious = ofTest.find(({ result }) => result.suspicious !== undefined)?.result.suspicious
    const marks = { ...(flaky && { flaky: true as const }), ...(suspicious !== undefined && { suspicious }) }
    folded.set(index, { ...run, result: { ...run.result, ...marks } })
  }
  return folded
}

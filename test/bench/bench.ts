import type { RunOptions } from '../support/run-options.ts'
import type { ContenderSet } from './contenders/all.ts'
import type { Book } from './measure/book.ts'
import type { LifeOfContainer } from './measure/bounds.ts'
import { type Random, seededRandom } from './measure/random.ts'
import type { Stage } from './stage.ts'

/** What a case uses to measure: stage, results and random numbers. */
export interface Bench {
  readonly quick: boolean
  readonly stage: Stage
  readonly contenders: ContenderSet
  readonly book: Book
  readonly random: Random
  readonly signal: AbortSignal
  /** Time and processor use per program at saturation, by contender. */
  readonly bounds: Map<string, LifeOfContainer>
  /** Reports progress on stderr. */
  log(line: string): void
  /** Selects a size: for a full run, or for a quick one. */
  size(full: number, quick: number): number
}

/** One measured case. */
export interface BenchCase {
  /** Stable name in rows, options and targets. */
  readonly name: string
  /** What is measured, in one line. */
  readonly title: string
  run(bench: Bench): Promise<void>
}

/** Makes the tools that all cases of a run share. */
export function openBench(
  options: RunOptions,
  parts: Pick<Bench, 'stage' | 'contenders' | 'log' | 'signal' | 'book'>,
): Bench {
  return {
    ...parts,
    quick: options.quick,
    random: seededRandom(options.seed),
    bounds: new Map(),
    size: (full, quick) => (options.quick ? quick : full),
  }
}

import type { ContenderSet } from './contenders/all.ts'
import type { Book } from './measure/book.ts'
import type { LifeOfContainer } from './measure/bounds.ts'
import { type Random, seededRandom } from './measure/random.ts'
import type { BenchOptions } from './options.ts'
import type { Stage } from './stage.ts'

/** What a case works with. */
export interface Bench {
  readonly quick: boolean
  readonly stage: Stage
  readonly contenders: ContenderSet
  readonly book: Book
  readonly random: Random
  readonly signal: AbortSignal
  /** Where time and processor went at saturation, by contender. */
  readonly bounds: Map<string, LifeOfContainer>
  /** Says on stderr what is being done. */
  log(line: string): void
  /** One of two sizes: of a full run, or of a quick one. */
  size(full: number, quick: number): number
}

/** A thing that is measured. */
export interface BenchCase {
  /** Stable: rows, options and targets name it. */
  readonly name: string
  /** What is done, in one line. */
  readonly title: string
  run(bench: Bench): Promise<void>
}

/** What all cases of one run share. */
export function openBench(
  options: BenchOptions,
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

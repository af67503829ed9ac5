import type { RunOptions } from '../../support/run-options.ts'
import type { Bench, BenchCase } from '../bench.ts'
import type { Surroundings } from '../machine.ts'
import type { Missing, Summary } from '../measure/book.ts'
import type { LifeOfContainer } from '../measure/bounds.ts'
import { NAMES } from '../names.ts'
import { workerSettings } from '../stage.ts'
import { type Row, rowsOf } from './rows.ts'

/** All results of a run; the content of `results.json`. */
export interface Report extends Surroundings {
  readonly seed: number
  readonly quick: boolean
  readonly seconds: number
  /** Day of the run, as `2026-11-30`. */
  readonly day: string
  /** Settings of the measured worker that are not its defaults. */
  readonly workerSettings: Readonly<Record<string, string>>
  readonly cases: readonly { readonly name: string; readonly title: string }[]
  readonly notes: readonly string[]
  readonly missing: readonly Missing[]
  readonly rows: readonly Row[]
  readonly summaries: readonly Summary[]
  readonly bounds: Readonly<Record<string, LifeOfContainer>>
}

/** Makes the report of a run. */
export function makeReport(run: {
  readonly options: RunOptions
  readonly place: Surroundings
  readonly bench: Pick<Bench, 'book' | 'random' | 'bounds'>
  readonly cases: readonly BenchCase[]
  readonly seconds: number
}): Report {
  const { options, place, bench, cases, seconds } = run
  const { missing, notes } = bench.book
  const summaries = inOrder(bench.book.summaries(bench.random))
  return {
    ...place,
    seed: options.seed,
    quick: options.quick,
    seconds: Math.round(seconds),
    day: new Date().toISOString().slice(0, 10),
    workerSettings: workerSettings(process.env),
    cases: cases.map(({ name, title }) => ({ name, title })),
    notes,
    missing,
    rows: rowsOf({ summaries, missing, cases: cases.map(({ name }) => name) }),
    summaries,
    bounds: Object.fromEntries(bench.bounds),
  }
}

/** Sorts contenders into a fixed order. */
function inOrder(summaries: readonly Summary[]): Summary[] {
  const names: readonly string[] = Object.values(NAMES)
  return summaries.toSorted((one, other) => names.indexOf(one.contender) - names.indexOf(other.contender))
}

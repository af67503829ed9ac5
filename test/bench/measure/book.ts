import type { Random } from './random.ts'
import { median, medianInterval, quantile } from './statistics.ts'

/** Unit of a series. Only the metrics `time` and `rate` are compared with other contenders. */
export type Unit = 'ms' | '/s' | 'MB' | 'share' | 's' | 'count'

/** The values of one metric of one contender in one case. */
export interface Series {
  readonly case: string
  readonly contender: string
  readonly metric: string
  readonly unit: Unit
  readonly values: number[]
}

/** Statistics of a series. */
export interface Summary extends Omit<Series, 'values'> {
  readonly samples: number
  /** The median; of shares the mean. */
  readonly value: number
  readonly p95: number
  readonly p99: number
  readonly best: number
  /** 95 % interval of the median. */
  readonly interval: readonly [low: number, high: number]
}

/** A contender that could not be measured, and whether that is a fault (`failed`) or due to the machine (`impossible`). */
export interface Missing {
  readonly case: string
  readonly contender: string
  readonly kind: 'failed' | 'impossible'
  readonly reason: string
}

/** Collects values, notes and missing contenders during a run. */
export class Book {
  readonly #series = new Map<string, Series>()
  readonly #missing: Missing[] = []
  readonly #notes = new Set<string>()

  add(place: Omit<Series, 'values'>, ...values: readonly number[]): void {
    const key = JSON.stringify([place.case, place.contender, place.metric])
    const series = this.#series.get(key) ?? { ...place, values: [] }
    series.values.push(...values)
    this.#series.set(key, series)
  }

  miss(missing: Missing): void {
    this.#missing.push(missing)
  }

  /** Adds a sentence to the report, once. */
  note(sentence: string): void {
    this.#notes.add(sentence)
  }

  get missing(): readonly Missing[] {
    return this.#missing
  }

  get notes(): readonly string[] {
    return [...this.#notes]
  }

  /** Statistics of all series, in the order in which they began. */
  summaries(random: Random): Summary[] {
    return [...this.#series.values()].map((series) => summarize(series, random))
  }
}

/** Statistics of one series. */
export function summarize({ values, ...place }: Series, random: Random): Summary {
  const isRate = place.unit === '/s'
  return {
    ...place,
    samples: values.length,
    value:
      place.unit === 'share' ? values.reduce((sum, value) => sum + value, 0) / values.length : median(values),
    // For a rate, low values are the bad ones.
    p95: quantile(values, isRate ? 0.05 : 0.95),
    p99: quantile(values, isRate ? 0.01 : 0.99),
    best: isRate ? Math.max(...values) : Math.min(...values),
    interval: medianInterval(values, random),
  }
}

/**
 * The values that a label may have: a closed list; `listed` at the start of the app (languages, statuses, images); or
 * `own`, few texts that the operator's own host gives.
 */
export type LabelSpec = readonly string[] | 'listed' | 'own'

/** One metric: what it says, its labels, and for a histogram its buckets. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  /** Full name, with unit. */
  readonly name: string
  readonly help: string
  readonly labels: Readonly<Record<string, LabelSpec>>
  /** Upper bounds, in the unit of the name. */
  readonly buckets?: readonly number[]
}

/** Label values as callers write them. */
export type LabelValues<L extends Readonly<Record<string, LabelSpec>>> = {
  readonly [K in keyof L]: L[K] extends readonly (infer V)[] ? V : string
}

/**
 * Allowed values of a label: a closed list; `listed`, known when the app starts (languages, statuses, images); or `own`, a few
 * texts from the operator's host.
 */
export type LabelSpec = readonly string[] | 'listed' | 'own'

/** One metric: its help text, its labels, and the buckets of a histogram. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  /** Full name, with unit. */
  readonly name: string
  readonly help: string
  readonly labels: Readonly<Record<string, LabelSpec>>
  /** Upper bounds, in the unit of the name. */
  readonly buckets?: readonly number[]
}

/** Label values of callers. */
export type LabelValues<L extends Readonly<Record<string, LabelSpec>>> = {
  readonly [K in keyof L]: L[K] extends readonly (infer V)[] ? V : string
}

import type { LabelSpec } from './metric-definition.ts'

/** Allowed label values besides `other`, for labels that an app lists when it starts. */
export interface ListedLabels {
  /** Names of the catalogue. */
  readonly language: readonly string[]
  readonly status: readonly string[]
  /** Images of the catalogue. */
  readonly image: readonly string[]
}

/** Maximum length of a label value from the host, in characters. */
const MAX_OWN_LENGTH = 64

/**
 * Replaces unlisted label values by `other`, so that callers cannot create unlimited time series.
 */
export function boundLabels(
  specs: Readonly<Record<string, LabelSpec>>,
  labels: Readonly<Record<string, string>>,
  listed: ListedLabels,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => {
      const value = labels[name] ?? 'other'
      if (spec === 'own') return [name, value.slice(0, MAX_OWN_LENGTH)]
      const allowed = spec === 'listed' ? listed[name as keyof ListedLabels] : spec
      return [name, allowed.includes(value) ? value : 'other']
    }),
  )
}

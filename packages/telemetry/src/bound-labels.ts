import type { LabelSpec } from './metric-definition.ts'

/** The values that a label may have beside `other`, for the labels that each app lists at its start. */
export interface ListedLabels {
  /** Names of the catalogue. */
  readonly language: readonly string[]
  readonly status: readonly string[]
  /** Images of the catalogue. */
  readonly image: readonly string[]
}

/** Longest value of a label that the host gives, in characters. */
const MAX_OWN_LENGTH = 64

/**
 * Replaces each label value that was not foreseen by `other`: a value that callers choose must not be able to
 * make new time series without end.
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

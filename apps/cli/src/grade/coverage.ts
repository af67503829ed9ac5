import type { DatasetProblem } from '@isopod/grading'
import { UsageError } from '@isopod/service-kit'
import { countText } from '../terminal/units.ts'

/** How the samples cover the problems of their data set. */
export interface Coverage {
  /** Problems without a sample. */
  readonly missing: readonly string[]
  /** Problems with fewer samples than another has, and how many they have. */
  readonly fewer: Readonly<Record<string, number>>
  /** Number of samples of the problem that has most. */
  readonly most: number
}

/** Maximum number of problems that a message names. */
const MAX_NAMED = 5

/** @param perProblem name of a problem → number of its samples */
export function coverageOf(
  problems: Iterable<DatasetProblem>,
  perProblem: ReadonlyMap<string, number>,
): Coverage {
  let most = 0
  for (const count of perProblem.values()) most = Math.max(most, count)
  const counts = [...problems].map(({ id }) => [id, perProblem.get(id) ?? 0] as const)
  return {
    missing: counts.filter(([, count]) => count === 0).map(([id]) => id),
    fewer: Object.fromEntries(counts.filter(([, count]) => count > 0 && count < most)),
    most,
  }
}

/**
 * One sentence for problems without a sample, and one for unequal numbers.
 *
 * @param isGraded whether the samples that are there are judged all the same
 */
export function coverageNotes({ missing, fewer, most }: Coverage, isGraded = true): string[] {
  const few = Object.entries(fewer)
  const notes: string[] = []
  if (missing.length > 0) {
    const notCounted = isGraded ? ', not counted' : ''
    notes.push(`${countText(missing.length, 'problem')} without a sample${notCounted}: ${namesOf(missing)}`)
  }
  if (few.length > 0) {
    const names = few.map(([id, count]) => `${JSON.stringify(id)} (${count})`)
    notes.push(`${countText(few.length, 'problem')} with fewer than ${most} samples: ${named(names)}`)
  }
  return notes
}

/** @throws {UsageError} unless each problem has a sample, and all have equally many */
export function requireAll(coverage: Coverage): void {
  const notes = coverageNotes(coverage, false)
  if (notes.length > 0) throw new UsageError(`--require-all: ${notes.join('; ')}`)
}

/** Some names of problems, as messages show them. */
export function namesOf(ids: readonly string[]): string {
  return named(ids.map((id) => JSON.stringify(id)))
}

function named(names: readonly string[]): string {
  return `${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ', …' : ''}`
}

import type { Place } from '@isopod/grading'

/** One record of a data file and its place there. */
export interface FileRecord {
  readonly value: unknown
  readonly place: Place
}

import type { Fact, Severity } from './rule.ts'

/** A fact and where the source says it. */
export interface Sighting extends Fact {
  /** Offset in the source, in UTF-16 code units. */
  readonly offset: number
}

/** A rule that a source trips. */
export interface PolicyFinding {
  /** Id of the rule: `python/import-os`. */
  readonly rule: string
  readonly severity: Severity
  /** One sentence: `Blocked import: os`. */
  readonly message: string
  /** The program's own file, or the path of one of the job's files. */
  readonly path: string
  /** From 1. */
  readonly line: number
}

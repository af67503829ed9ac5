/** The grammars that parse sources. */
export const GRAMMARS = ['python', 'javascript', 'typescript', 'bash'] as const

/** Name of a grammar. */
export type Grammar = (typeof GRAMMARS)[number]

/** A named part of a match. */
export interface Capture {
  /** `root`, `shape.fork-bomb`, … */
  readonly name: string
  readonly text: string
  /** Offsets in the source, in UTF-16 code units. */
  readonly start: number
  readonly end: number
}

/** One match of a query: its captures in the order of the source. */
export type Match = readonly Capture[]

/** A source and the matches of its language's query. */
export interface MatchedSource {
  readonly source: string
  readonly matches: readonly Match[]
  /** Base names of the job's files that are not checked as source. */
  readonly others: ReadonlySet<string>
}

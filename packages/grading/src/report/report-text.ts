/** What a report says beside its numbers. */
export interface ReportText {
  /** What was graded: `humaneval · samples.jsonl`. */
  readonly title: string
  /** The batch's id. */
  readonly batch: string
  /** When it was made, as a person reads it. */
  readonly madeAt: string
  /** What it was graded with: limits, mode. */
  readonly settings: readonly string[]
  /** Problems of the data set without a sample. */
  readonly withoutSamples: readonly string[]
  readonly retriedFaults: number
  /** For each k: the estimate, or null if no problem has so many samples. */
  readonly passAt: Readonly<Record<string, PassRate | null>>
}

/** pass@k with its 95 % interval. */
export interface PassRate {
  readonly estimate: number
  readonly low: number
  readonly high: number
  /** Problems that have k samples. */
  readonly problems: number
}

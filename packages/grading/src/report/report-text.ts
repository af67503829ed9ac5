/** The texts of a report. */
export interface ReportText {
  /** Data set and samples: `humaneval · samples.jsonl`. */
  readonly title: string
  /** The batch's id. */
  readonly batch: string
  /** Creation time, for people. */
  readonly madeAt: string
  /** Settings: limits, mode. */
  readonly settings: readonly string[]
  /** Names of problems without a sample. */
  readonly withoutSamples: readonly string[]
  readonly retriedFaults: number
  /** The estimate for each k; null if no problem has k samples. */
  readonly passAt: Readonly<Record<string, PassRate | null>>
}

/** pass@k with its 95 % interval. */
export interface PassRate {
  readonly estimate: number
  readonly low: number
  readonly high: number
  /** Number of problems with at least k samples. */
  readonly problems: number
}

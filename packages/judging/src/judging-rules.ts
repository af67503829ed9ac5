import type { Job, Language, LanguageSummary, LimitMaxima, Limits } from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'

/** The languages of the deployment. */
export interface LanguageList {
  readonly languages: readonly Language[]
  find(asked: string): Language | undefined
  summaries(): readonly LanguageSummary[]
}

/** What a checker program or an interactor runs with. */
export interface HelperProgram {
  readonly language: Language
  readonly limits: Limits
}

/** What judging needs to know about the deployment. */
export interface JudgingRules {
  readonly catalogue: LanguageList
  readonly maxima: LimitMaxima
  /** Language and limits of a checker program or interactor; undefined if there is no such language. */
  readonly helper: (language: string) => HelperProgram | undefined
  /** Plans an execution of a job with stdin, files or limits of its own, or says why it cannot be run. */
  readonly planExecution: (delivery: JobAttempt) => PlannedExecution
}

/** One attempt at a job. */
export interface JobAttempt {
  readonly id: string
  /** Counted from 1. */
  readonly attempt: number
  readonly job: Job
}

/** An execution that can be run, or one sentence for each reason why not. */
export type PlannedExecution =
  | { readonly execution: Execution; readonly problems?: undefined }
  | { readonly execution?: undefined; readonly problems: readonly string[] }

/** Memory and processors that an execution needs at most. */
export interface Footprint {
  /** MiB. */
  readonly memoryMb: number
  /** Cores. */
  readonly cpus: number
}

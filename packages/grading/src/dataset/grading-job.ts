import type { JobInput } from '@isopod/protocol'
import type { Problem } from './problem.ts'
import type { Solution } from './solutions.ts'
import { stripFences } from './strip-fences.ts'

/** What a grader decides for all samples. */
export interface GradingSettings {
  /** Takes the place of the problem's and the sample's. */
  readonly language?: string | undefined
  /** Takes off Markdown fences around samples. */
  readonly stripFences?: boolean
  /** Stands before the problem's own limits. */
  readonly limits?: NonNullable<JobInput['limits']>
  /** Stands behind them. */
  readonly defaultLimits?: NonNullable<JobInput['limits']>
  /** Fields that every job gets. */
  readonly job?: Partial<JobInput>
}

/** The job that judges one solution of a problem. */
export function gradingJob(problem: Problem, solution: Solution, settings: GradingSettings = {}): JobInput {
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

/** The language that a solution is judged in; undefined if nobody says one. */
export function gradingLanguage(
  problem: Problem,
  solution: Solution,
  wanted: string | undefined,
): string | undefined {
  return wanted ?? problem.language ?? solution.language
}

/** The problem's own solution; undefined if the data set has none. */
export function referenceOf(problem: Problem): Solution | undefined {
  if (problem.reference === undefined) return undefined
  return { problem: problem.id, text: problem.reference, kind: 'whole', language: problem.language }
}

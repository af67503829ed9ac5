import type { JobInput } from '@isopod/protocol'
import type { DatasetProblem } from './problem.ts'
import type { Solution } from './solutions.ts'
import { stripFences } from './strip-fences.ts'

/** Settings for all samples of a grading. */
export interface GradingSettings {
  /** Overrides the problem's and the sample's language. */
  readonly language?: string | undefined
  /** Keeps Markdown fences; by default only the content of a sample’s first fence in its language is judged. */
  readonly verbatim?: boolean
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
  const language = gradingLanguage(problem, solution, settings.language)
  const text = settings.verbatim ? solution.text : stripFences(solution.text, language)
  const body =
    solution.kind === 'completion'
      ? `${problem.prompt}${settings.verbatim ? text : endedAt(text, problem.stopTokens ?? [])}`
      : text
  const code = language === problem.language ? `${problem.header ?? ''}${body}` : body
  return {
    ...(problem.separation === undefined ? {} : { separation: problem.separation }),
    ...settings.job,
    ...(language === undefined ? {} : { language }),
    code,
    tests: [...problem.tests],
    limits: { ...settings.defaultLimits, ...problem.limits, ...settings.limits },
  }
}

/**
 * The language of a solution; undefined if none is named. Programs that read stdin can be in any language; a script tests
 * code of its own language only.
 */
export function gradingLanguage(
  problem: DatasetProblem,
  solution: Solution,
  wanted: string | undefined,
): string | undefined {
  const isTestedByScript = problem.tests.some(({ script }) => script !== undefined)
  const [first, other] = isTestedByScript ? [problem, solution] : [solution, problem]
  return wanted ?? first.language ?? other.language
}

/** The data set's own solution of a problem; undefined if there is none. */
export function referenceOf(problem: DatasetProblem): Solution | undefined {
  if (problem.reference === undefined) return undefined
  const language = problem.language ?? problem.referenceLanguage
  return { problem: problem.id, text: problem.reference, kind: 'whole', language }
}

/** A completion up to the first of these texts, where its generation should have ended. */
function endedAt(text: string, stopTokens: readonly string[]): string {
  const ends = stopTokens.map((token) => text.indexOf(token)).filter((at) => at !== -1)
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
}

import { createCatalogue } from '@isopod/languages'
import { exceededMaxima, type Language, type LimitMaxima, resolveLimits } from '@isopod/protocol'
import type { JudgingRules } from '../../src/judging-rules.ts'

/** A deployment with these languages, which plans an execution only from a job's code, limits and batch. */
export function rulesOf(languages: readonly Language[], maxima: LimitMaxima = {}): JudgingRules {
  const catalogue = createCatalogue(languages)
  const helper: JudgingRules['helper'] = (name) => {
    const language = catalogue.find(name)
    return language && { language, limits: resolveLimits({}, language.default_limits) }
  }
  return {
    catalogue,
    maxima,
    helper,
    planExecution: ({ id, attempt, job }) => {
      const language = catalogue.find(job.language)
      if (language === undefined) throw new Error(`there is no ${job.language}`)
      const limits = resolveLimits(job.limits, language.default_limits)
      const problems = exceededMaxima(limits, maxima).map(({ message }) => message)
      if (problems.length > 0) return { problems }
      const sharedBy = job.reuse === 'batch' ? job.batchId : undefined
      return { execution: { id, attempt, language, limits, code: job.code, stdin: job.stdin, sharedBy } }
    },
  }
}

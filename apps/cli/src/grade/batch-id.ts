import { createHash } from 'node:crypto'
import type { ProblemSet } from '@isopod/grading'
import { type GradePlan, gradingDefaults } from './grade-options.ts'

/**
 * Derives the id of a batch from what is graded and how, so that the same command resumes the batch of an earlier run. Options
 * that only change how results are shown are left out.
 */
export function derivedBatchId(plan: GradePlan, problems: ProblemSet, samplesDigest: string): string {
  const {
    language,
    limits,
    reuse,
    preload,
    verbatim,
    stopWhen,
    allTests,
    repeat,
    tenant,
    isolation,
    separation,
  } = plan
  // The last ones are optional, so that ids of batches that were started before they existed stay the same.
  const settings = [
    language,
    limits,
    gradingDefaults(problems.dataset),
    reuse,
    preload,
    verbatim,
    stopWhen,
    allTests,
    tenant,
    ...(repeat > 1 ? [repeat] : []),
    ...(isolation === undefined ? [] : [isolation]),
    ...(separation === undefined ? [] : ['separation', separation]),
  ]
  const hash = createHash('sha256').update(JSON.stringify([1, problems.dataset, ...settings]))
  for (const problem of problems.all()) hash.update(`\n${JSON.stringify(problem)}`)
  return `grade-${hash.update(`\n${samplesDigest}`).digest('hex').slice(0, 24)}`
}

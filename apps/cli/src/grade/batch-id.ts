import { createHash } from 'node:crypto'
import type { ProblemSet } from '@isopod/grading'
import type { GradePlan } from './grade-options.ts'

/**
 * Derives the id of a batch from what is graded and how, so that the same command resumes the batch of an earlier run. Options
 * that only change how results are shown are left out.
 */
export function derivedBatchId(plan: GradePlan, problems: ProblemSet, samplesDigest: string): string {
  const {
    dataset,
    language,
    limits,
    defaultLimits,
    reuse,
    preload,
    stripFences,
    stopWhen,
    allTests,
    repeat,
    tenant,
  } = plan
  // `repeat` is last and optional, so that ids of batches that were started before it existed stay the same.
  const settings = [
    language,
    limits,
    defaultLimits,
    reuse,
    preload,
    stripFences,
    stopWhen,
    allTests,
    tenant,
    ...(repeat > 1 ? [repeat] : []),
  ]
  const hash = createHash('sha256').update(JSON.stringify([1, dataset, ...settings]))
  for (const problem of problems.all()) hash.update(`\n${JSON.stringify(problem)}`)
  return `grade-${hash.update(`\n${samplesDigest}`).digest('hex').slice(0, 24)}`
}

import { createHash } from 'node:crypto'
import type { ProblemSet } from '@isopod/grading'
import type { GradePlan } from './grade-options.ts'

/**
 * The name of a batch by what is graded and how: the same command finds what an earlier one has done. What only changes how
 * results are shown is left out.
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
  // Behind all others: batches without it are named as they were.
  const how = [
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
  const hash = createHash('sha256').update(JSON.stringify([1, dataset, ...how]))
  for (const problem of problems.all()) hash.update(`\n${JSON.stringify(problem)}`)
  return `grade-${hash.update(`\n${samplesDigest}`).digest('hex').slice(0, 24)}`
}

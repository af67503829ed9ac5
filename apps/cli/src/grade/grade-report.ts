import { basename } from 'node:path'
import type { BatchSummary } from '@isopod/client'
import { DEFAULT_TIMEOUT, type Grades, type ProblemSet, reportPage } from '@isopod/grading'
import type { Coverage } from './coverage.ts'
import type { GradePlan } from './grade-options.ts'

/** The HTML report of a batch, in pieces. */
export function gradeReport(
  file: string,
  {
    plan,
    problems,
    grades,
    coverage,
  }: { plan: GradePlan; problems: ProblemSet; grades: Grades; coverage: Coverage },
  summary: BatchSummary,
  now: Date,
): Iterable<string> {
  const { dataset } = problems
  return reportPage(grades, {
    title: `${basename(file)} · ${plan.samples === undefined ? 'its own solutions' : basename(plan.samples)}`,
    batch: summary.id,
    madeAt: `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    settings: [
      dataset,
      `${plan.limits.timeoutSeconds ?? DEFAULT_TIMEOUT[dataset]} s a test${dataset === 'stdin-tests' ? ' unless the problem says otherwise' : ''}`,
      ...(plan.limits.memoryMb === undefined ? [] : [`${plan.limits.memoryMb} MiB`]),
      plan.reuse === 'batch' ? 'containers shared within the batch' : 'a fresh container for each sample',
    ],
    withoutSamples: coverage.missing,
    retriedFaults: summary.retriedFaults,
    passAt: summary.passAt,
  })
}

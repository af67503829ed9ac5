import { basename } from 'node:path'
import type { BatchSummary } from '@isopod/client'
import { DEFAULT_TIMEOUT, type Grades, reportPage } from '@isopod/grading'
import type { GradePlan } from './grade-options.ts'

/** The HTML report of a batch, in pieces. */
export function gradeReport(
  file: string,
  { plan, grades, missing }: { plan: GradePlan; grades: Grades; missing: readonly string[] },
  summary: BatchSummary,
  now: Date,
): Iterable<string> {
  return reportPage(grades, {
    title: `${basename(file)} · ${plan.samples === undefined ? 'its own solutions' : basename(plan.samples)}`,
    batch: summary.id,
    madeAt: `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    settings: [
      plan.dataset,
      `${plan.limits.timeoutSeconds ?? DEFAULT_TIMEOUT[plan.dataset]} s a test${plan.dataset === 'stdin-tests' ? ' unless the problem says otherwise' : ''}`,
      ...(plan.limits.memoryMb === undefined ? [] : [`${plan.limits.memoryMb} MiB`]),
      plan.reuse === 'batch' ? 'containers shared within the batch' : 'a fresh container for each sample',
    ],
    withoutSamples: missing,
    retriedFaults: summary.retriedFaults,
    passAt: summary.passAt,
  })
}

import type { JobRunOptions, Judging, JudgingOptions } from './judging.ts'
import type { JudgingPlan } from './plan-judging.ts'
import { repeatProgram } from './repeats/repeat-program.ts'
import { runScripts } from './scripts/run-scripts.ts'
import { runTestCases } from './test-cases/run-test-cases.ts'
import { onceForEachVerdict } from './verdict-events.ts'

/**
 * Runs the program of a job for all of its test cases or repetitions, and judges each run.
 *
 * @throws what the sandbox rejects with
 */
export async function judgeJob(
  plan: JudgingPlan,
  options: JudgingOptions,
  run: JobRunOptions,
): Promise<Judging> {
  const onVerdict = options.onVerdict && onceForEachVerdict(options.onVerdict)
  const judging = await runPlan(plan, { ...options, onVerdict }, run)
  // Also reports the test cases that never ran.
  for (const [index, test] of judging.judged.tests?.entries() ?? []) onVerdict?.(index, test)
  return judging
}

function runPlan(plan: JudgingPlan, options: JudgingOptions, run: JobRunOptions): Promise<Judging> {
  switch (plan.kind) {
    case 'test-cases':
      return runTestCases(plan, options, run)
    case 'scripts':
      return runScripts(plan, options, run)
    case 'repeats':
      return repeatProgram(plan, options, run)
    default:
      return plan satisfies never
  }
}

import type { Execution } from '@isopod/sandbox'
import type { Footprint, JobAttempt, JudgingRules } from './judging-rules.ts'
import type { RepeatsPlan } from './repeats/repeat-program.ts'
import { planScripts, type ScriptsPlan, scriptsFootprint } from './scripts/plan-scripts.ts'
import { planTestCases, type TestCasesPlan } from './test-cases/plan-test-cases.ts'
import { testCasesFootprint } from './test-cases/run-test-cases.ts'

/** How a job with test cases or repetitions is run and judged. */
export type JudgingPlan = TestCasesPlan | ScriptsPlan | RepeatsPlan

/**
 * Plans the judging of a job with test cases, or of one that is repeated.
 *
 * @param execution the job's own, without its test cases
 * @returns the plan, or one sentence for each reason why the job cannot be judged
 */
export function planJudging(
  delivery: JobAttempt,
  execution: Execution,
  rules: JudgingRules,
): JudgingPlan | { readonly problems: readonly string[] } {
  const { job } = delivery
  const { tests, repeat, network } = job
  if (tests === undefined) return { kind: 'repeats', execution, repeat, network }
  // A job has scripts in all of its test cases or in none.
  if (tests[0]?.script !== undefined) return planScripts(delivery, execution.language, rules)
  return planTestCases(job, tests, execution, rules)
}

/** Maximum memory and processors of a job while it is judged. */
export function footprintOf(plan: JudgingPlan): Footprint {
  switch (plan.kind) {
    case 'test-cases':
      return testCasesFootprint(plan)
    case 'scripts':
      return scriptsFootprint(plan)
    case 'repeats':
      return plan.execution.limits
    default:
      return plan satisfies never
  }
}

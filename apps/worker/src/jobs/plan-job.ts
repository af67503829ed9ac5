import { footprintOf, type JudgingPlan, planJudging } from '@isopod/judging'
import type { Delivery } from '@isopod/queue'
import type { Execution } from '@isopod/sandbox'
import type { Share } from '../admission/admission.ts'
import type { RefusedBy } from '../audit/audit-event.ts'
import type { Egress } from '../network/profiles.ts'
import type { DeploymentRules } from './deployment-rules.ts'
import { helperProgram, planExecution } from './plan-execution.ts'

/** A job that can be run. */
export interface JobPlan {
  /** The program by itself. */
  readonly execution: Execution
  /** Undefined: no network. */
  readonly egress: Egress | undefined
  /** Undefined: the program runs once, and nothing is judged. */
  readonly judging: JudgingPlan | undefined
  /** What the job needs of the host at most. */
  readonly share: Share
}

/** Why a job cannot be run. */
export interface JobRefusal {
  readonly by: RefusedBy
  /** One sentence each. */
  readonly problems: readonly string[]
}

/** Plans a job: its execution, its network, and how it is judged. */
export function planJob(
  delivery: Pick<Delivery, 'id' | 'attempt' | 'job'>,
  rules: DeploymentRules,
):
  | { readonly plan: JobPlan; readonly refusal?: undefined }
  | { readonly plan?: undefined; readonly refusal: JobRefusal } {
  const { execution, egress, problems } = planExecution(delivery, rules)
  if (execution === undefined) return { refusal: { by: 'settings', problems } }
  const { tests, repeat } = delivery.job
  if (tests === undefined && repeat === 1) {
    return { plan: { execution, egress, judging: undefined, share: execution.limits } }
  }
  const judging = planJudging(delivery, execution, {
    catalogue: rules.catalogue,
    maxima: rules.maxima,
    helper: (language) => helperProgram(language, rules),
    planExecution: (own) => planExecution(own, rules),
  })
  if ('problems' in judging) return { refusal: { by: 'tests', problems: judging.problems } }
  return { plan: { execution, egress, judging, share: footprintOf(judging) } }
}

import type { PolicyChecker, PolicyDecision } from '@isopod/policy'
import { type Policy, stricterPolicy } from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'

/** What a policy made of one execution; for metrics and the audit. */
export interface PolicyEvent {
  readonly id: string
  readonly attempt: number
  /** Name of the language in the catalogue. */
  readonly language: string
  /** What the job asked for; `decision.policy` is what applied. */
  readonly asked: Policy
  readonly decision: PolicyDecision
}

/** Decides on each execution before it runs. */
export interface PolicyGate {
  /** What applies to a job that asks for this. */
  applied(asked: Policy): Policy
  /** Rejects only with the reason of `signal`. */
  judge(execution: Execution, asked: Policy, signal: AbortSignal): Promise<PolicyDecision>
}

/** What a gate stands on. */
export interface PolicyGateOptions {
  readonly checker: PolicyChecker
  /** No job gets less than this. */
  readonly minimum: Policy
  /** Called once for each decision. */
  readonly observe: (event: PolicyEvent) => void
}

/** Makes the gate that every execution passes: what the job asks for, held to the deployment's minimum. */
export function policyGate({ checker, minimum, observe }: PolicyGateOptions): PolicyGate {
  const applied = (asked: Policy) => stricterPolicy(asked, minimum)
  return {
    applied,
    judge: async (execution, asked, signal) => {
      const { id, attempt, language, code, files } = execution
      const program = { language: language.name, filename: language.filename, code, files }
      const decision = await checker.check(program, applied(asked), signal)
      observe({ id, attempt, language: language.name, asked, decision })
      return decision
    },
  }
}

import type { PolicyChecker, PolicyDecision } from '@isopod/policy'
import { type Policy, stricterPolicy } from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'

/** The policy decision on one execution, for metrics and audit. */
export interface PolicyEvent {
  readonly id: string
  readonly attempt: number
  /** Name of the language in the catalogue. */
  readonly language: string
  /** The job's own policy; `decision.policy` is the one that applied. */
  readonly asked: Policy
  readonly decision: PolicyDecision
}

/** Checks each execution against the policy. */
export interface PolicyGate {
  /** The policy that applies to a job that asks for this one. */
  applied(asked: Policy): Policy
  /** Rejects only with the reason of `signal`. */
  check(execution: Execution, asked: Policy, signal: AbortSignal): Promise<PolicyDecision>
}

/** Dependencies of {@link policyGate}. */
export interface PolicyGateOptions {
  readonly checker: PolicyChecker
  /** Minimum policy of every job. */
  readonly minimum: Policy
  /** Called once for each decision. */
  readonly observe: (event: PolicyEvent) => void
}

/** Makes the gate that every execution passes. It applies the job's policy or the deployment's minimum, whichever is stricter. */
export function policyGate({ checker, minimum, observe }: PolicyGateOptions): PolicyGate {
  const applied = (asked: Policy) => stricterPolicy(asked, minimum)
  return {
    applied,
    check: async (execution, asked, signal) => {
      const { id, attempt, language, code, files } = execution
      const program = { language: language.name, filename: language.filename, code, files }
      const decision = await checker.check(program, applied(asked), signal)
      observe({ id, attempt, language: language.name, asked, decision })
      return decision
    },
  }
}

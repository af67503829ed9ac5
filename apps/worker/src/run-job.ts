import type { PolicyDecision } from '@isopod/policy'
import type { Result } from '@isopod/protocol'
import { type Delivery, JobInterrupted, unrunResult } from '@isopod/queue'
import type { ContainerFacts, Sandbox } from '@isopod/sandbox'
import type { Logger } from '@isopod/telemetry'
import { audit } from './audit.ts'
import { type DeploymentRules, planExecution } from './plan-execution.ts'
import type { PolicyGate } from './policy-gate.ts'
import { policyPart, resultOf } from './result.ts'

/** What a job meets on its way through the worker. */
export interface JobRunnerOptions {
  readonly workerId: string
  readonly rules: DeploymentRules
  readonly gate: PolicyGate
  readonly sandbox: Sandbox
  readonly logger: Logger
}

/**
 * Makes the function that takes a delivery to its result: plan, check, run in the sandbox, describe what happened. It resolves
 * for everything that the job or its caller did, and rejects for a fault of the platform, which the queue retries.
 */
export function jobRunner(options: JobRunnerOptions) {
  const { workerId, rules, gate, sandbox, logger } = options

  return async (delivery: Delivery, signal: AbortSignal): Promise<Result> => {
    const { id, attempt, job } = delivery
    const queuedMs = Math.max(0, Date.now() - delivery.enqueuedAt)
    const started = performance.now()
    const plan = planExecution(delivery, rules)

    let policyMs = 0
    let decision: PolicyDecision | undefined
    let container: ContainerFacts | undefined
    let status = 'retried'
    try {
      const result = await settle()
      status = result.status
      return result
    } finally {
      audit(logger, { id, attempt, job, execution: plan.execution, container, status })
    }

    async function settle(): Promise<Result> {
      if (plan.execution === undefined) return refused(plan.problems)
      try {
        decision = await gate.judge(plan.execution, job.policy, signal)
        policyMs = performance.now() - started
        if (decision.problems.length > 0) return refused(decision.problems)
        const outcome = await sandbox.run(plan.execution, {
          signal,
          onContainer: (facts) => {
            container = facts
          },
        })
        return resultOf(outcome, plan.execution, { id, attempt, workerId, job, queuedMs, policyMs, decision })
      } catch (error) {
        if (!isCancelled(error, signal)) throw error
        return notRun('cancelled', 'Execution was cancelled')
      }
    }

    function refused(problems: readonly string[]): Result {
      return { ...notRun('validation_error', problems.join('; ')), validationErrors: [...problems] }
    }

    function notRun(status: 'cancelled' | 'validation_error', errorMessage: string): Result {
      const timings = { queued: queuedMs, policy: policyMs }
      const unrun = unrunResult({ id, job, status, errorMessage, attempt, workerId, timings })
      return { ...unrun, ...policyPart(decision) }
    }
  }
}

function isCancelled(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error instanceof JobInterrupted && error.cause === 'cancelled'
}

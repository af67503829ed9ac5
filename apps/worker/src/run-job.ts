import type { PolicyDecision } from '@isopod/policy'
import type { Result } from '@isopod/protocol'
import { type Delivery, JobInterrupted, unrunResult } from '@isopod/queue'
import type { ContainerFacts, Sandbox } from '@isopod/sandbox'
import type { Audit, OfJob } from './audit/audit-event.ts'
import { jobAudit } from './audit/job-audit.ts'
import { type EgressEvent, openProxy } from './network/proxy.ts'
import { type DeploymentRules, planExecution } from './plan-execution.ts'
import type { PolicyGate } from './policy-gate.ts'
import { policyPart, resultOf } from './result.ts'

/** What a job meets on its way through the worker. */
export interface JobRunnerOptions {
  readonly workerId: string
  readonly rules: DeploymentRules
  readonly gate: PolicyGate
  readonly sandbox: Sandbox
  readonly audit: Audit
  /** Told of each connection that a job made or tried, when it is over. */
  readonly onEgress: (of: OfJob, event: EgressEvent) => void
}

/**
 * Makes the function that takes a delivery to its result: plan, check, run in the sandbox, describe what happened. It resolves
 * for everything that the job or its caller did, and rejects for a fault of the platform, which the queue retries.
 */
export function jobRunner(options: JobRunnerOptions) {
  const { workerId, rules, gate, sandbox, audit, onEgress } = options

  return async (delivery: Delivery, signal: AbortSignal): Promise<Result> => {
    const { id, attempt, job } = delivery
    const queuedMs = Math.max(0, Date.now() - delivery.enqueuedAt)
    const record = jobAudit(audit, delivery)
    record.requested()

    const started = performance.now()
    const plan = planExecution(delivery, rules)
    let policyMs = 0
    let decision: PolicyDecision | undefined
    let container: ContainerFacts | undefined
    try {
      const result = await settle()
      record.finished(result, { execution: plan.execution, container })
      return result
    } catch (error) {
      record.ended(error)
      throw error
    }

    async function settle(): Promise<Result> {
      if (plan.execution === undefined) return refused(plan.problems)
      const proxy = plan.egress && openProxy(plan.egress, (event) => onEgress(record.of, event))
      try {
        decision = await gate.judge(plan.execution, job.policy, signal)
        policyMs = performance.now() - started
        if (decision.problems.length > 0) return refused(decision.problems)
        const outcome = await sandbox.run(plan.execution, {
          signal,
          onConnection: proxy?.accept,
          onContainer: (facts) => {
            container = facts
          },
        })
        record.limitEnforced(outcome)
        return resultOf(outcome, plan.execution, { id, attempt, workerId, job, queuedMs, policyMs, decision })
      } catch (error) {
        if (!isCancelled(error, signal)) throw error
        record.ended(error)
        return notRun('cancelled', 'Execution was cancelled')
      } finally {
        // Before the job is called finished: the audit has its connections first.
        await proxy?.close()
      }
    }

    function refused(problems: readonly string[]): Result {
      record.refused(problems)
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

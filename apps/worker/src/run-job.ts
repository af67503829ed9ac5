import type { Result } from '@isopod/protocol'
import { type Delivery, JobInterrupted, unrunResult } from '@isopod/queue'
import type { ContainerFacts, Sandbox } from '@isopod/sandbox'
import type { Logger } from '@isopod/telemetry'
import { audit } from './audit.ts'
import { type EgressEvent, openProxy } from './network/proxy.ts'
import { type DeploymentRules, type Plan, planExecution } from './plan-execution.ts'
import { resultOf } from './result.ts'

/** What a job meets on its way through the worker. */
export interface JobRunnerOptions {
  readonly workerId: string
  readonly rules: DeploymentRules
  readonly sandbox: Sandbox
  readonly logger: Logger
  /** Told of each connection that a job made or tried, when it is over. */
  readonly onEgress: (job: string, event: EgressEvent) => void
}

/**
 * Makes the function that takes a delivery to its result: plan, run in the sandbox, describe what happened. It resolves
 * for everything that the job or its caller did, and rejects for a fault of the platform, which the queue retries.
 */
export function jobRunner(options: JobRunnerOptions) {
  const { workerId, rules, sandbox, logger, onEgress } = options

  return async (delivery: Delivery, signal: AbortSignal): Promise<Result> => {
    const { id, attempt, job } = delivery
    const queuedMs = Math.max(0, Date.now() - delivery.enqueuedAt)
    const started = performance.now()
    const plan = planExecution(delivery, rules)
    const policyMs = performance.now() - started
    const context = { id, attempt, workerId, job, queuedMs, policyMs }

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
      if (plan.execution === undefined) return refused(plan)
      const proxy = plan.egress && openProxy(plan.egress, (event) => onEgress(id, event))
      try {
        const outcome = await sandbox.run(plan.execution, {
          signal,
          onConnection: proxy?.accept,
          onContainer: (facts) => {
            container = facts
          },
        })
        return resultOf(outcome, plan.execution, context)
      } catch (error) {
        if (!isCancelled(error, signal)) throw error
        return notRun('cancelled', 'Execution was cancelled')
      } finally {
        proxy?.close()
      }
    }

    function refused({ problems = [] }: Plan): Result {
      return { ...notRun('validation_error', problems.join('; ')), validationErrors: [...problems] }
    }

    function notRun(status: 'cancelled' | 'validation_error', errorMessage: string): Result {
      return unrunResult({
        id,
        job,
        status,
        errorMessage,
        attempt,
        workerId,
        timings: { queued: queuedMs, policy: policyMs },
      })
    }
  }
}

function isCancelled(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error instanceof JobInterrupted && error.cause === 'cancelled'
}

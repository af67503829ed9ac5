import { createHash } from 'node:crypto'
import type { PolicyDecision } from '@isopod/policy'
import { languageTag, type Result } from '@isopod/protocol'
import { type Delivery, JobInterrupted, unrunResult } from '@isopod/queue'
import type { ContainerFacts, Outcome, Sandbox } from '@isopod/sandbox'
import { type Audit, type OfJob, placeOf } from './audit/audit-event.ts'
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
    const about = { job: id, attempt }
    const codeSha256 = createHash('sha256').update(job.code).digest('hex')
    const queuedMs = Math.max(0, Date.now() - delivery.enqueuedAt)
    audit({
      ...about,
      event: 'requested',
      tenant: job.tenant,
      language: job.language,
      codeSha256,
      network: job.network,
      content: { code: job.code, stdin: job.stdin },
    })

    const started = performance.now()
    const plan = planExecution(delivery, rules)
    let policyMs = 0
    let decision: PolicyDecision | undefined
    let container: ContainerFacts | undefined
    try {
      const result = await settle()
      const { stdout, stderr, status } = result
      audit({
        ...about,
        event: 'finished',
        tenant: job.tenant,
        language: plan.execution === undefined ? job.language : languageTag(plan.execution.language),
        codeSha256,
        limits: plan.execution?.limits ?? null,
        ...placeOf(container),
        status,
        content: { stdout, stderr },
      })
      return result
    } catch (error) {
      audit(
        error instanceof JobInterrupted
          ? { ...about, event: 'interrupted', cause: error.cause }
          : {
              ...about,
              event: 'setup_failed',
              error: error instanceof Error ? error.message : String(error),
            },
      )
      throw error
    }

    async function settle(): Promise<Result> {
      if (plan.execution === undefined) return refused(plan.problems)
      const proxy = plan.egress && openProxy(plan.egress, (event) => onEgress(about, event))
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
        limitEnforced(outcome)
        return resultOf(outcome, plan.execution, { id, attempt, workerId, job, queuedMs, policyMs, decision })
      } catch (error) {
        if (!isCancelled(error, signal)) throw error
        audit({ ...about, event: 'interrupted', cause: 'cancelled' })
        return notRun('cancelled', 'Execution was cancelled')
      } finally {
        // Before the job is called finished: the audit has its connections first.
        await proxy?.close()
      }
    }

    function limitEnforced({ limit, container }: Outcome): void {
      if (limit !== null) audit({ ...about, event: 'limit_enforced', limit, containerId: container.id })
    }

    function refused(problems: readonly string[]): Result {
      audit({ ...about, event: 'refused', problems })
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

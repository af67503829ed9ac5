import {
  expressionProblems,
  type JobRunOptions,
  type Judging,
  judgeJob,
  type OnVerdict,
  type OutputChecks,
  sourcesToCheck,
} from '@isopod/judging'
import type { PolicyDecision } from '@isopod/policy'
import type { Result } from '@isopod/protocol'
import { type Delivery, JobInterrupted, unrunResult } from '@isopod/queue'
import { type ContainerFacts, type Sandbox, TimeBudget } from '@isopod/sandbox'
import type { Admission } from '../admission/admission.ts'
import type { ExclusiveRuns } from '../admission/exclusive-runs.ts'
import { JobShare } from '../admission/job-share.ts'
import type { Audit, OfJob } from '../audit/audit-event.ts'
import { jobAudit } from '../audit/job-audit.ts'
import { type EgressEvent, EgressProxy } from '../network/egress-proxy.ts'
import type { DeploymentRules } from './deployment-rules.ts'
import { type JobPlan, type JobRefusal, planJob } from './plan-job.ts'
import type { PolicyGate } from './policy-gate.ts'
import { policyPart, resultOf } from './result.ts'
import { runWithRetry } from './run-with-retry.ts'

/** What a job meets on its way through the worker. */
export interface JobRunnerOptions {
  readonly workerId: string
  readonly rules: DeploymentRules
  readonly gate: PolicyGate
  readonly sandbox: Pick<Sandbox, 'run'>
  readonly checks: Pick<OutputChecks, 'ofJob'>
  readonly admission: Pick<Admission, 'enter' | 'wasOvercommitted'>
  readonly exclusive: Pick<ExclusiveRuns, 'enabled' | 'run'>
  /** Called with the milliseconds that a job waited for its share of the host. */
  readonly onAdmitted: (ms: number) => void
  readonly audit: Audit
  /** Called when a connection that a job made or tried is over. */
  readonly onEgress: (of: OfJob, event: EgressEvent) => void
}

/**
 * Makes the function that takes a delivery to its result: plan, policy check, run, describe. A policy check that can refuse
 * the job comes before the run; one that can only warn runs beside it. The function resolves for everything that the job or
 * its caller did, and rejects for a fault of the platform, which the queue retries.
 */
export function jobRunner(options: JobRunnerOptions) {
  const { workerId, rules, gate, sandbox, audit, onEgress, onAdmitted } = options

  /** @param waitedMs how long this worker held the job before; counted as acquiring */
  return async (delivery: Delivery, signal: AbortSignal, waitedMs = 0): Promise<Result> => {
    const { id, attempt, job, live } = delivery
    /** Output is live only for a single run: a reader of several could not tell them apart. */
    const liveOutput = job.tests === undefined && job.repeat === 1 ? live : undefined
    const onVerdict: OnVerdict | undefined =
      live && ((index, { name, verdict }) => live.test(index, name, verdict))
    const queuedMs = Math.max(0, delivery.takenAt - delivery.enqueuedAt)
    const record = jobAudit(audit, delivery)
    record.requested()

    const started = performance.now() - waitedMs
    const { plan, refusal } = planJob(delivery, rules)
    /** How long the policy check alone delayed the job. */
    let policyMs = 0
    let acquiredMs = 0
    let decision: PolicyDecision | undefined
    let container: ContainerFacts | undefined
    /** Whether another job had been in one of the job's containers. */
    let wasShared = false
    try {
      const result = plan === undefined ? refused(refusal) : await settle(plan)
      record.finished(result, { execution: plan?.execution, container })
      return result
    } catch (error) {
      record.ended(error)
      throw error
    }

    async function settle({ execution, egress, judging, share }: JobPlan): Promise<Result> {
      const proxy = egress && new EgressProxy(egress, (event) => onEgress(record.of, event))
      const { tenant, tests = [] } = job
      const timeoutMs = execution.limits.timeoutSeconds * 1000
      const held = new JobShare({ ...options, share, tenant, timeoutMs, signal })
      try {
        const checks = options.checks.ofJob(job, signal)
        let source = execution
        if (judging !== undefined) {
          const problems = await expressionProblems(tests, checks, signal)
          if (problems.length > 0) return refused({ by: 'tests', problems })
          source = sourcesToCheck(execution, tests, rules.catalogue)
        }
        const checking = gate.judge(source, job.policy, signal)
        // The promise may be unobserved: a cancelled job reports the last decision.
        checking.then(
          (made) => {
            decision = made
          },
          () => {},
        )
        if (gate.applied(job.policy).mode === 'enforce') {
          const { problems } = await decided(checking)
          if (problems.length > 0) return refused({ by: 'policy', problems })
        }
        const asked = performance.now()
        await held.acquire()
        onAdmitted(performance.now() - asked)
        const { outcome, judged } = await run(
          { execution, judging, held, checks },
          {
            signal,
            budget: new TimeBudget(execution.limits.jobSeconds),
            onConnection: proxy && ((connection) => proxy.accept(connection)),
            onOutput: liveOutput?.output.bind(liveOutput),
            onContainer,
          },
        )
        liveOutput?.cut({ stdout: outcome.stdout.truncated, stderr: outcome.stderr.truncated })
        const checked = await decided(checking)
        record.limitEnforced(outcome)
        const times = { queuedMs, policyMs, acquireMs: acquiredMs }
        const context = { id, attempt, workerId, job, ...times, decision: checked }
        const result = resultOf(outcome, execution, context)
        return {
          ...{ ...result, ...judged },
          ...(wasShared && { containerOrigin: 'batch' as const }),
          ...(held.warning !== undefined && { warnings: [...result.warnings, held.warning] }),
        }
      } catch (error) {
        if (!isCancelled(error, signal)) throw error
        record.ended(error)
        return notRun('cancelled', 'Execution was cancelled')
      } finally {
        held.release()
        // Before the job is called finished: the audit has its connections first.
        await proxy?.close()
      }
    }

    async function run(
      { execution, judging, held, checks }: Pick<JobPlan, 'execution' | 'judging'> & RunContext,
      how: JobRunOptions,
    ): Promise<Judging> {
      if (judging !== undefined) {
        return await judgeJob(judging, { sandbox, checks, retry: held, onVerdict }, how)
      }
      const program = { sandbox, retry: held, network: job.network }
      const { outcome, flaky } = await runWithRetry(execution, program, how)
      return { outcome, judged: flaky ? { flaky } : {} }
    }

    function onContainer(facts: ContainerFacts): void {
      if (container === undefined || liveOutput !== undefined) live?.running()
      container ??= facts
      wasShared ||= facts.origin === 'batch'
      acquiredMs ||= performance.now() - started - policyMs
    }

    /** Waits for the policy check, and counts how long that took. */
    async function decided(checking: Promise<PolicyDecision>): Promise<PolicyDecision> {
      const asked = performance.now()
      const made = await checking
      policyMs += performance.now() - asked
      return made
    }

    function refused({ by, problems }: JobRefusal): Result {
      record.refused(by, problems)
      return { ...notRun('validation_error', problems.join('; ')), validationErrors: [...problems] }
    }

    function notRun(status: 'cancelled' | 'validation_error', errorMessage: string): Result {
      const timings = { queued: queuedMs, policy: policyMs }
      const unrun = unrunResult({ id, job, status, errorMessage, attempt, workerId, timings })
      return { ...unrun, ...policyPart(decision) }
    }
  }
}

interface RunContext {
  readonly held: JobShare
  readonly checks: ReturnType<OutputChecks['ofJob']>
}

function isCancelled(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error instanceof JobInterrupted && error.cause === 'cancelled'
}

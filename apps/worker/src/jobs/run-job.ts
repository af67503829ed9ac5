import {
  expressionProblems,
  type JobChecks,
  type JobRunOptions,
  type Judging,
  judgeJob,
  type OnVerdict,
  type OutputChecks,
  sourcesToCheck,
} from '@isopod/judging'
import type { PolicyDecision } from '@isopod/policy'
import type { Result } from '@isopod/protocol'
import { type Delivery, JobInterrupted, unexecutedJobResult } from '@isopod/queue'
import { type ContainerFacts, type Execution, type Outcome, type Sandbox, TimeBudget } from '@isopod/sandbox'
import type { Admission } from '../admission/admission.ts'
import type { ExclusiveRuns } from '../admission/exclusive-runs.ts'
import { JobShare } from '../admission/job-share.ts'
import type { Audit, AuditSubject } from '../audit/audit-event.ts'
import { jobAudit } from '../audit/job-audit.ts'
import { type EgressEvent, EgressProxy } from '../network/egress-proxy.ts'
import type { DeploymentRules } from './deployment-rules.ts'
import { type JobPlan, type JobRefusal, planJob } from './plan-job.ts'
import type { PolicyGate } from './policy-gate.ts'
import { policyPart, resultOf } from './result.ts'
import { runWithRetry } from './run-with-retry.ts'

/** Dependencies of {@link jobRunner}. */
export interface JobRunnerOptions {
  readonly workerId: string
  readonly rules: DeploymentRules
  readonly gate: PolicyGate
  readonly sandbox: Pick<Sandbox, 'run'>
  readonly checks: Pick<OutputChecks, 'ofJob'>
  readonly admission: Pick<Admission, 'enter' | 'wasOvercommitted'>
  readonly exclusive: Pick<ExclusiveRuns, 'enabled' | 'run'>
  /** Called with the time that a job waited for its share of the host. */
  readonly onAdmitted: (ms: number) => void
  readonly audit: Audit
  /** Called when a connection of a job has ended or was refused. */
  readonly onEgress: (subject: AuditSubject, event: EgressEvent) => void
}

/**
 * Makes the function that takes a delivery to its result. It resolves for everything that the job or its caller did, and
 * rejects for a fault of the platform, which the queue retries.
 */
export function jobRunner(options: JobRunnerOptions) {
  return (delivery: Delivery, signal: AbortSignal): Promise<Result> =>
    new JobRun(options, delivery, signal).run()
}

/** The execution of one job: plan, policy check, share of the host, run, result. */
class JobRun {
  readonly #options: JobRunnerOptions
  readonly #delivery: Delivery
  readonly #signal: AbortSignal
  readonly #record: ReturnType<typeof jobAudit>
  readonly #startedAt: number
  readonly #queuedMs: number
  /** How long the policy check alone delayed the job. */
  #policyMs = 0
  #acquiredMs = 0
  #decision: PolicyDecision | undefined
  #container: ContainerFacts | undefined
  /** Whether another job had been in one of the job's containers. */
  #wasShared = false

  constructor(options: JobRunnerOptions, delivery: Delivery, signal: AbortSignal) {
    this.#options = options
    this.#delivery = delivery
    this.#signal = signal
    this.#record = jobAudit(options.audit, delivery)
    this.#startedAt = performance.now()
    this.#queuedMs = Math.max(0, delivery.takenAt - delivery.enqueuedAt)
  }

  async run(): Promise<Result> {
    this.#record.requested()
    const { plan, refusal } = planJob(this.#delivery, this.#options.rules)
    try {
      const result = plan === undefined ? this.#refused(refusal) : await this.#execute(plan)
      this.#record.finished(result, { execution: plan?.execution, container: this.#container })
      return result
    } catch (error) {
      this.#record.ended(error)
      throw error
    }
  }

  /** Runs a plan, and then releases its share of the host and closes its proxy. */
  async #execute(plan: JobPlan): Promise<Result> {
    const { onEgress } = this.#options
    const { egress, share } = plan
    const proxy = egress && new EgressProxy(egress, (event) => onEgress(this.#record.subject, event))
    const { tenant } = this.#delivery.job
    const timeoutMs = plan.execution.limits.timeoutSeconds * 1000
    const jobShare = new JobShare({ ...this.#options, share, tenant, timeoutMs, signal: this.#signal })
    try {
      return await this.#checkAndRun(plan, jobShare, proxy)
    } catch (error) {
      if (!isCancelled(error, this.#signal)) throw error
      this.#record.ended(error)
      return this.#unexecuted('cancelled', 'Execution was cancelled')
    } finally {
      jobShare.release()
      // Before the job is reported as finished, so that the audit log has its connections first.
      await proxy?.close()
    }
  }

  /** A policy check that can refuse the job comes before the run; one that can only warn runs beside it. */
  async #checkAndRun(plan: JobPlan, jobShare: JobShare, proxy: EgressProxy | undefined): Promise<Result> {
    const { gate, rules } = this.#options
    const { job } = this.#delivery
    const { execution, judging } = plan
    const checks = judging && this.#options.checks.ofJob(job, this.#signal)
    let source = execution
    if (checks !== undefined) {
      const problems = await expressionProblems(job.tests ?? [], checks, this.#signal)
      if (problems.length > 0) return this.#refused({ by: 'tests', problems })
      source = sourcesToCheck(execution, job.tests ?? [], rules.catalogue)
    }
    const checking = this.#startPolicyCheck(source)
    if (gate.applied(job.policy).mode === 'enforce') {
      const { problems } = await this.#decisionOf(checking)
      if (problems.length > 0) return this.#refused({ by: 'policy', problems })
    }
    await this.#acquire(jobShare)
    const { outcome, judged } = await this.#run(plan, jobShare, checks, proxy)
    const result = this.#describe(outcome, execution, await this.#decisionOf(checking))
    return {
      ...{ ...result, ...judged },
      ...(this.#wasShared && { containerOrigin: 'batch' as const }),
      ...(jobShare.warning !== undefined && { warnings: [...result.warnings, jobShare.warning] }),
    }
  }

  #startPolicyCheck(source: Execution): Promise<PolicyDecision> {
    const checking = this.#options.gate.check(source, this.#delivery.job.policy, this.#signal)
    // The promise may be unobserved: a cancelled job reports the last decision.
    checking.then(
      (decision) => {
        this.#decision = decision
      },
      () => {},
    )
    return checking
  }

  /** Waits for the policy check, and counts how long that took. */
  async #decisionOf(checking: Promise<PolicyDecision>): Promise<PolicyDecision> {
    const waitingSince = performance.now()
    const decision = await checking
    this.#policyMs += performance.now() - waitingSince
    return decision
  }

  async #acquire(jobShare: JobShare): Promise<void> {
    const waitingSince = performance.now()
    await jobShare.acquire()
    this.#options.onAdmitted(performance.now() - waitingSince)
  }

  async #run(
    { execution, judging }: JobPlan,
    retry: JobShare,
    checks: JobChecks | undefined,
    proxy: EgressProxy | undefined,
  ): Promise<Judging> {
    const { sandbox } = this.#options
    const { job, live } = this.#delivery
    const liveOutput = this.#liveOutput
    const runOptions: JobRunOptions = {
      signal: this.#signal,
      budget: new TimeBudget(execution.limits.jobSeconds),
      onConnection: proxy && ((connection) => proxy.accept(connection)),
      onOutput: liveOutput?.output.bind(liveOutput),
      onContainer: (facts) => this.#onContainer(facts),
    }
    if (judging !== undefined && checks !== undefined) {
      const onVerdict: OnVerdict | undefined =
        live && ((index, { name, verdict }) => live.test(index, name, verdict))
      return await judgeJob(judging, { sandbox, checks, retry, onVerdict }, runOptions)
    }
    const parts = { sandbox, retry, network: job.network }
    const { outcome, flaky } = await runWithRetry(execution, parts, runOptions)
    return { outcome, judged: flaky ? { flaky } : {} }
  }

  #onContainer(facts: ContainerFacts): void {
    if (this.#container === undefined || this.#liveOutput !== undefined) this.#delivery.live?.running()
    this.#container ??= facts
    this.#wasShared ||= facts.origin === 'batch'
    this.#acquiredMs ||= performance.now() - this.#startedAt - this.#policyMs
  }

  /** Output is live only for a single run: a reader of several could not tell them apart. */
  get #liveOutput() {
    const { job, live } = this.#delivery
    return job.tests === undefined && job.repeat === 1 ? live : undefined
  }

  #describe(outcome: Outcome, execution: Execution, decision: PolicyDecision): Result {
    this.#liveOutput?.cut({ stdout: outcome.stdout.truncated, stderr: outcome.stderr.truncated })
    this.#record.limitEnforced(outcome)
    const { id, attempt, job } = this.#delivery
    const { workerId } = this.#options
    const times = { queuedMs: this.#queuedMs, policyMs: this.#policyMs, acquireMs: this.#acquiredMs }
    return resultOf(outcome, execution, { id, attempt, workerId, job, ...times, decision })
  }

  #refused({ by, problems }: JobRefusal): Result {
    this.#record.refused(by, problems)
    return { ...this.#unexecuted('validation_error', problems.join('; ')), validationErrors: [...problems] }
  }

  #unexecuted(status: 'cancelled' | 'validation_error', errorMessage: string): Result {
    const { id, attempt, job } = this.#delivery
    const { workerId } = this.#options
    const timings = { queued: this.#queuedMs, policy: this.#policyMs }
    const result = unexecutedJobResult({ id, job, status, errorMessage, attempt, workerId, timings })
    return { ...result, ...policyPart(this.#decision) }
  }
}

function isCancelled(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error instanceof JobInterrupted && error.cause === 'cancelled'
}

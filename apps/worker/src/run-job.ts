import type { PolicyDecision } from '@isopod/policy'
import type { Result } from '@isopod/protocol'
import { type Delivery, JobInterrupted, unrunResult } from '@isopod/queue'
import { type ContainerFacts, type Sandbox, TimeBudget } from '@isopod/sandbox'
import type { Admission } from './admission/admission.ts'
import type { ExclusiveOutcome, ExclusiveRuns } from './admission/exclusive-runs.ts'
import type { Audit, OfJob, RefusedBy } from './audit/audit-event.ts'
import { jobAudit } from './audit/job-audit.ts'
import { type EgressEvent, openProxy } from './network/proxy.ts'
import { type DeploymentRules, planExecution } from './plan-execution.ts'
import type { PolicyGate } from './policy-gate.ts'
import { policyPart, resultOf } from './result.ts'
import { checkedSource } from './tests/checked-source.ts'
import { expressionProblems } from './tests/expression-problems.ts'
import { gradedRun, shareOf } from './tests/graded-run.ts'
import { liveVerdicts } from './tests/live-verdicts.ts'
import type { OutputChecks } from './tests/output-checks.ts'
import { mostOf, planScripts, runScripts } from './tests/script-tests.ts'
import type { SecondRuns } from './tests/second-run.ts'

/** What a job meets on its way through the worker. */
export interface JobRunnerOptions {
  readonly workerId: string
  readonly rules: DeploymentRules
  readonly gate: PolicyGate
  readonly sandbox: Sandbox
  readonly checks: Pick<OutputChecks, 'ofJob'>
  readonly admission: Pick<Admission, 'enter' | 'wasCrowded'>
  readonly exclusive: Pick<ExclusiveRuns, 'enabled' | 'run'>
  /** Told how many milliseconds a job waited for its share of the host. */
  readonly onAdmitted: (ms: number) => void
  readonly audit: Audit
  /** Told of each connection that a job made or tried, when it is over. */
  readonly onEgress: (of: OfJob, event: EgressEvent) => void
}

/**
 * Makes the function that takes a delivery to its result: plan, check, run in the sandbox, describe what happened. A check
 * that can refuse the job comes first; one that can only warn goes on beside the run. It resolves for everything that the
 * job or its caller did, and rejects for a fault of the platform, which the queue retries. For how long this worker has held
 * the job before counts as acquiring.
 */
export function jobRunner(options: JobRunnerOptions) {
  const { workerId, rules, gate, sandbox, admission, exclusive, audit, onEgress, onAdmitted } = options

  return async (delivery: Delivery, signal: AbortSignal, waitedMs = 0): Promise<Result> => {
    const { id, attempt, job, live } = delivery
    const onVerdict = liveVerdicts(live)
    /** Where output goes: of many runs nobody could say whose it is, and the result has that of one. */
    const liveOutput = job.tests === undefined && job.repeat === 1 ? live : undefined
    const queuedMs = Math.max(0, delivery.takenAt - delivery.enqueuedAt)
    const record = jobAudit(audit, delivery)
    record.requested()

    const started = performance.now() - waitedMs
    const plan = planExecution(delivery, rules)
    /** How long the check alone held the job. */
    let policyMs = 0
    let acquiredMs = 0
    let decision: PolicyDecision | undefined
    let container: ContainerFacts | undefined
    /** Whether another job had been in one of the job's containers. */
    let wasShared = false
    try {
      const result = await settle()
      record.finished(result, { execution: plan.execution, container })
      return result
    } catch (error) {
      record.ended(error)
      throw error
    }

    async function settle(): Promise<Result> {
      if (plan.execution === undefined) return refused('settings', plan.problems)
      const { execution } = plan
      const scripts = planScripts(delivery, rules)
      if (scripts !== undefined && 'problems' in scripts) return refused('tests', scripts.problems)
      const proxy = plan.egress && openProxy(plan.egress, (event) => onEgress(record.of, event))
      const share = scripts ? mostOf(scripts) : shareOf(execution, job, rules)
      const claimant = { tenant: job.tenant, timeoutMs: execution.limits.timeoutSeconds * 1000 }
      let leave: (() => void) | undefined
      let contended: string | undefined
      const again: SecondRuns = {
        wasCrowded: (ms) => exclusive.enabled && admission.wasCrowded(ms),
        alone: async (request, run) => {
          // Whoever kept its share while it waits for all of them would wait for itself.
          leave?.()
          const { outcome, ran } = await exclusive.run({ ...request, tenant: job.tenant }, signal, run)
          if (outcome !== 'made') contended = contendedText(outcome)
          return ran
        },
        resume: async () => {
          leave = await admission.enter(share, signal, claimant)
        },
      }
      try {
        const checks = options.checks.ofJob(job, signal)
        const wrong = await expressionProblems(job.tests ?? [], checks, signal)
        if (wrong.length > 0) return refused('tests', wrong)
        const checking = gate.judge(checkedSource(execution, job.tests, rules.catalogue), job.policy, signal)
        // Nobody may be waiting for it: a job that is cancelled tells what was decided until then.
        checking.then(
          (made) => {
            decision = made
          },
          () => {},
        )
        // What can be refused is to cost no container; all else need not wait for a warning.
        if (gate.applied(job.policy).mode === 'enforce') {
          const { problems } = await decided(checking)
          if (problems.length > 0) return refused('policy', problems)
        }
        const asked = performance.now()
        leave = await admission.enter(share, signal, claimant)
        onAdmitted(performance.now() - asked)
        const run = {
          signal,
          budget: new TimeBudget(execution.limits.jobSeconds),
          onConnection: proxy?.accept,
          onOutput: liveOutput?.output.bind(liveOutput),
          onContainer: (facts: ContainerFacts) => {
            if (container === undefined || liveOutput !== undefined) live?.running()
            container ??= facts
            wasShared ||= facts.origin === 'batch'
            acquiredMs ||= performance.now() - started - policyMs
          },
        }
        const { outcome, graded } = scripts
          ? await runScripts(scripts, (one, until = signal) => sandbox.run(one, { ...run, signal: until }), {
              again,
              onVerdict,
              budget: run.budget,
            })
          : await gradedRun(execution, job, { ...options, checks, again, onVerdict }, run)
        const judged = graded !== undefined && 'tests' in graded ? graded.tests : undefined
        for (const [index, test] of judged?.entries() ?? []) onVerdict?.(index, test)
        liveOutput?.cut({ stdout: outcome.stdout.truncated, stderr: outcome.stderr.truncated })
        const checked = await decided(checking)
        record.limitEnforced(outcome)
        const times = { queuedMs, policyMs, acquireMs: acquiredMs }
        const context = { id, attempt, workerId, job, ...times, decision: checked }
        const result = resultOf(outcome, execution, context)
        return {
          ...{ ...result, ...graded },
          ...(wasShared && { containerOrigin: 'batch' as const }),
          ...(contended !== undefined && { warnings: [...result.warnings, contended] }),
        }
      } catch (error) {
        if (!isCancelled(error, signal)) throw error
        record.ended(error)
        return notRun('cancelled', 'Execution was cancelled')
      } finally {
        leave?.()
        // Before the job is called finished: the audit has its connections first.
        await proxy?.close()
      }
    }

    /** Waits for the check, and counts how long that took. */
    async function decided(checking: Promise<PolicyDecision>): Promise<PolicyDecision> {
      const asked = performance.now()
      const made = await checking
      policyMs += performance.now() - asked
      return made
    }

    function refused(by: RefusedBy, problems: readonly string[]): Result {
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

/** Why a timeout that is in doubt stands. */
function contendedText(outcome: Exclude<ExclusiveOutcome, 'made'>): string {
  const why = {
    denied: 'the share of its time that this worker gives to such runs was spent',
    yielded: 'jobs of other tenants waited',
    given_up: 'the time for it ran out',
  }[outcome]
  return `contended: the program timed out while others kept it from the processor, and was not run again alone: ${why}`
}

function isCancelled(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error instanceof JobInterrupted && error.cause === 'cancelled'
}

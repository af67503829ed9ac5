import type { Result } from '@isopod/protocol'
import type { ConsumerEvent } from '@isopod/queue'
import { EngineUnreachableError, ImageFaultError, type SandboxEvent } from '@isopod/sandbox'
import type { Logger, Metrics } from '@isopod/telemetry'
import type { Audit, OfJob } from './audit/audit-event.ts'
import type { EgressEvent } from './network/proxy.ts'
import type { PolicyEvent } from './policy-gate.ts'

/** Where the core's events become metrics, log lines and audit events; the core itself knows none of them. */
export function observer(metrics: Metrics, logger: Logger, audit: Audit) {
  /** A result of this worker's became the job's result, `publishMs` after it was there. */
  function published(result: Result, publishMs: number): void {
    const language = result.language.split('@', 1)[0] ?? ''
    const labels = { language, status: result.status }
    const { queued: _, ...stages } = result.timings
    const ms = Object.values(stages).reduce((sum, stage) => sum + stage, publishMs)
    metrics.jobsFinished.inc(labels)
    metrics.jobDuration.observe(labels, ms / 1000)
    const phases = { ...result.timings, publish: result.timings.publish + publishMs }
    for (const [phase, time] of Object.entries(phases) as [keyof typeof phases, number][]) {
      metrics.jobPhase.observe({ phase }, time / 1000)
    }
    // What another job has used is counted there.
    if (result.cached) return
    if (result.wallMs !== null) metrics.jobRun.observe({ language }, result.wallMs / 1000)
    if (result.memoryPeakBytes !== null) metrics.containerMemoryPeak.observe({}, result.memoryPeakBytes)
    metrics.containerCpu.inc({}, ((result.cpuUserMs ?? 0) + (result.cpuSysMs ?? 0)) / 1000)
    if (result.truncated.stdout) metrics.outputTruncated.inc({ stream: 'stdout' })
    if (result.truncated.stderr) metrics.outputTruncated.inc({ stream: 'stderr' })
    for (const { verdict, suspicious } of result.tests ?? []) {
      metrics.tests.inc({ language, verdict })
      if (suspicious !== undefined) metrics.testsSuspicious.inc({ language })
    }
  }

  return {
    /** What the queue met. */
    queue(event: ConsumerEvent): void {
      switch (event.type) {
        case 'taken':
          metrics.queueWait.observe({}, event.waitMs / 1000)
          metrics.workerLastPickup.set({}, Date.now() / 1000)
          break
        case 'published':
          metrics.resultsPublished.inc({ outcome: event.outcome })
          if (event.outcome === 'ok') published(event.result, event.ms)
          break
        case 'alreadyPublished':
          metrics.resultsPublished.inc({ outcome: 'duplicate' })
          break
        case 'retried':
          metrics.jobRetries.inc({
            reason: retryReason(event.error),
          })
          logger.warn(
            { job: event.id, err: event.error },
            'the platform failed a job; it will be tried again',
          )
          break
        case 'handedBack':
          metrics.jobRetries.inc({ reason: 'shutdown' })
          logger.info({ job: event.id }, 'handed a job back to the queue')
          break
        case 'stalled':
          metrics.jobsStalled.inc({})
          logger.warn({ job: event.id }, 'a worker vanished with a job; it waits again')
          break
        case 'quarantined':
          logger.error({ taken: event.counts }, 'something that is no job was taken out of the queue')
          break
        case 'lockRenewalFailed':
          metrics.lockRenewalFailures.inc({}, event.ids.length)
          logger.warn({ jobs: event.ids }, 'lost the locks of jobs; their containers are ended')
          break
        case 'auditDropped':
          metrics.auditDropped.inc({})
          break
        case 'liveEventsDropped':
          metrics.liveEventsDropped.inc({}, event.events)
          break
        case 'redisUp':
          logger.info('Redis is connected')
          break
        case 'redisDown':
          logger.error('Redis is gone; finished results wait for it')
          break
        case 'error':
          logger.error({ err: event.error }, 'trouble with the queue')
          break
        default:
          event satisfies never
      }
    },

    /** What the policy made of an execution; a rejection is what refuses a job, once per rule. */
    policy({ id, attempt, language, decision }: PolicyEvent): void {
      const { policy, checked, findings, problems } = decision
      audit({
        event: 'policy_decided',
        job: id,
        attempt,
        policy,
        checked,
        rules: [...new Set(findings.map(({ rule }) => rule))],
        refused: problems.length > 0,
      })
      if (problems.length === 0) return
      const rules = findings.filter(({ severity }) => severity === 'block').map(({ rule }) => rule)
      // The source was refused for what could not be checked of it.
      if (rules.length === 0) rules.push('unchecked')
      for (const rule of new Set(rules)) metrics.policyRejections.inc({ language, rule })
    },

    /** A job's connection to the outside is over, or was refused. */
    egress(of: OfJob, event: EgressEvent): void {
      const { profile, outcome, bytesUp, bytesDown } = event
      metrics.egressConnections.inc({ profile, outcome })
      metrics.egressBytes.inc({ profile, direction: 'up' }, bytesUp)
      metrics.egressBytes.inc({ profile, direction: 'down' }, bytesDown)
      audit({ event: 'egress', ...of, ...event })
    },

    /** What the sandbox met. */
    sandbox(event: SandboxEvent): void {
      switch (event.type) {
        case 'engine_call': {
          const { operation: op, outcome, seconds } = event.call
          metrics.containerOperations.inc({ op, outcome })
          metrics.containerOperationTime.observe({ op }, seconds)
          break
        }
        case 'container_created':
        case 'container_assigned':
        case 'container_removed': {
          const { type, job, attempt, container } = event
          audit({ event: type, job, attempt, containerId: container })
          break
        }
        case 'container_reset':
          metrics.containerResets.inc({ outcome: event.outcome })
          break
        case 'reaped': {
          const { job, attempt, container, reason } = event
          metrics.containersReaped.inc({ reason })
          audit({ event: 'container_removed', job, attempt, containerId: container })
          logger.warn({ job, container, reason }, 'removed a container that was left behind')
          break
        }
        case 'pool': {
          const { image, outcome } = event
          metrics.poolRequests.inc({ image, outcome })
          logger.debug({ image, outcome }, 'a container was asked for')
          break
        }
        case 'refill_failed':
          logger.warn({ image: event.image, err: event.error }, 'no container could be made ahead; resting')
          break
        case 'removal_failed':
          logger.error(
            { container: event.container, err: event.error },
            'a container could not be removed; the reaper will try again',
          )
          break
        default:
          event satisfies never
      }
    },
  }
}

function retryReason(error: Error): 'engine' | 'image' | 'host' {
  if (error instanceof EngineUnreachableError) return 'engine'
  return error instanceof ImageFaultError ? 'image' : 'host'
}

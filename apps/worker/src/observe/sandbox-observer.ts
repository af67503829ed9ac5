import type { SandboxEvent } from '@isopod/sandbox'
import type { Logger, Metrics } from '@isopod/telemetry'
import type { Audit } from '../audit/audit-event.ts'

/** Makes the function that turns events of the sandbox into metrics, log lines and audit events. */
export function sandboxObserver(
  metrics: Metrics,
  logger: Logger,
  audit: Audit,
): (event: SandboxEvent) => void {
  return (event) => {
    switch (event.type) {
      case 'driver_call': {
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
        logger.warn({ job, container, reason }, 'removed a leftover container')
        break
      }
      case 'pool': {
        const { image, outcome } = event
        metrics.poolRequests.inc({ image, outcome })
        logger.debug({ image, outcome }, 'a job asked the pool for a container')
        break
      }
      case 'refill_failed':
        logger.warn(
          { image: event.image, err: event.error },
          'the pool could not start a container; it pauses',
        )
        break
      case 'removal_failed': {
        const { container, error: err } = event
        logger.error({ container, err }, 'a container could not be removed; the reaper will retry')
        break
      }
      default:
        event satisfies never
    }
  }
}

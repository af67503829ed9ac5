import { knownVerdict, type Result } from '@isopod/protocol'
import type { ConsumerEvent, JobDeferred } from '@isopod/queue'
import { DriverUnavailableError, ImageFaultError, ImageMissingError } from '@isopod/sandbox'
import type { Logger, Metrics } from '@isopod/telemetry'

/** Makes the function that turns events of the queue into metrics and log lines. */
export function queueObserver(metrics: Metrics, logger: Logger): (event: ConsumerEvent) => void {
  return (event) => {
    switch (event.type) {
      case 'taken':
        metrics.queueWait.observe({}, event.waitMs / 1000)
        metrics.workerLastPickup.set({}, Date.now() / 1000)
        break
      case 'published':
        metrics.resultsPublished.inc({ outcome: event.outcome })
        if (event.outcome === 'ok') countResult(metrics, event.result, event.ms)
        break
      case 'alreadyPublished':
        metrics.resultsPublished.inc({ outcome: 'duplicate' })
        break
      case 'retried':
        metrics.jobRetries.inc({ reason: retryReason(event.error) })
        logger.warn({ job: event.id, err: event.error }, 'the platform failed a job; it will be retried')
        break
      case 'deferred':
        metrics.jobDeferrals.inc({ reason: deferralReason(event.error) })
        if (event.error.cause !== undefined) {
          logger.warn(
            { job: event.id, err: event.error.cause },
            'the host cannot run a job now; it will be taken again',
          )
        }
        break
      case 'requeued':
        metrics.jobRetries.inc({ reason: 'shutdown' })
        logger.info({ job: event.id }, 'requeued a job')
        break
      case 'stalled':
        metrics.jobsStalled.inc({})
        logger.warn(
          { job: event.id },
          'a job stalled because its worker died or did not reach Redis; it waits again',
        )
        break
      case 'quarantined':
        logger.error({ taken: event.counts }, 'moved entries that are not jobs out of the queue')
        break
      case 'lockRenewalFailed':
        metrics.lockRenewalFailures.inc({}, event.ids.length)
        logger.warn({ jobs: event.ids }, 'lost the locks of jobs; their containers are stopped')
        break
      case 'auditDropped':
        metrics.auditDropped.inc({})
        break
      case 'resultsDropped':
        metrics.resultsDropped.inc({ reason: 'results' }, event.dropped.results)
        metrics.resultsDropped.inc({ reason: 'bytes' }, event.dropped.bytes)
        logger.warn(
          { tooMany: event.dropped.results, tooLarge: event.dropped.bytes },
          'dropped the oldest results that nobody took: there were too many, or they took too much memory',
        )
        break
      case 'liveEventsDropped':
        metrics.liveEventsDropped.inc({}, event.events)
        break
      case 'redisUp':
        logger.info('Redis is connected')
        break
      case 'redisDown':
        logger.error('Redis is not connected; finished results wait for it')
        break
      case 'redisFull':
        logger.error('Redis is full; no job is taken until results were taken or have expired')
        break
      case 'redisRoom':
        logger.info('Redis has room again')
        break
      case 'error':
        logger.error({ err: event.error }, 'a queue operation failed')
        break
      default:
        event satisfies never
    }
  }
}

/** @param publishMs from when the result was made until it was published */
function countResult(metrics: Metrics, result: Result, publishMs: number): void {
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
  // The figures of a cached result were counted with the job that ran.
  if (!result.cached) countRun(metrics, result, language)
}

function countRun(metrics: Metrics, result: Result, language: string): void {
  const { wallMs, memoryPeakBytes, cpuUserMs, cpuSysMs, truncated, tests } = result
  if (wallMs !== null) metrics.jobRun.observe({ language }, wallMs / 1000)
  if (memoryPeakBytes !== null) metrics.containerMemoryPeak.observe({}, memoryPeakBytes)
  metrics.containerCpu.inc({}, ((cpuUserMs ?? 0) + (cpuSysMs ?? 0)) / 1000)
  if (truncated.stdout) metrics.outputTruncated.inc({ stream: 'stdout' })
  if (truncated.stderr) metrics.outputTruncated.inc({ stream: 'stderr' })
  for (const { verdict, suspicious } of tests ?? []) {
    // A cached result may be of a newer worker.
    metrics.tests.inc({ language, verdict: knownVerdict(verdict) ?? 'runtime_error' })
    if (suspicious !== undefined) metrics.testsSuspicious.inc({ language })
  }
}

function deferralReason({ cause }: JobDeferred): 'image' | 'engine' | 'equal_job' {
  if (cause === undefined) return 'equal_job'
  return cause instanceof ImageMissingError ? 'image' : 'engine'
}

function retryReason(error: Error): 'engine' | 'image' | 'host' {
  if (error instanceof DriverUnavailableError) return 'engine'
  return error instanceof ImageFaultError ? 'image' : 'host'
}

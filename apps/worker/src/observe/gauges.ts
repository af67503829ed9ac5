import { type Consumer, QUARANTINE_REASONS } from '@isopod/queue'
import type { Sandbox } from '@isopod/sandbox'
import type { Metrics } from '@isopod/telemetry'
import type { Admission, Budget } from '../admission/admission.ts'
import { WORKER_STATES, type WorkerState } from '../worker-state.ts'

/** Longer than the usual scrape interval, so that one worker keeps the role between scrapes. */
const LEADER_MS = 90_000
const MIB = 1024 * 1024

/** Sources of the gauges. */
export interface GaugeSources {
  readonly metrics: Metrics
  readonly queue: Consumer
  readonly sandbox: Sandbox
  readonly admission: Pick<Admission, 'use'>
  readonly budget: Budget
  readonly state: () => WorkerState
}

/** Registers the metrics that are read at scrape time. */
export function gauges({ metrics, queue, sandbox, admission, budget, state }: GaugeSources): void {
  metrics.onScrape(() => {
    const { running, idle, removing, waiting: pooled } = sandbox.counts()
    metrics.workerSlots.set({ state: 'busy' }, running)
    metrics.workerSlots.set({ state: 'free' }, Math.max(0, budget.slots - running))
    metrics.containers.set({ state: 'running' }, running)
    metrics.containers.set({ state: 'shelved' }, idle)
    metrics.containers.set({ state: 'removing' }, removing)
    metrics.poolContainers.clear()
    for (const [image, count] of pooled) metrics.poolContainers.set({ image }, count)
    const { memoryMb, cpus, waiting } = admission.use
    metrics.admissionMemory.set({ state: 'used' }, memoryMb * MIB)
    metrics.admissionMemory.set({ state: 'free' }, (budget.memoryMb - memoryMb) * MIB)
    metrics.admissionCpus.set({ state: 'used' }, cpus)
    metrics.admissionCpus.set({ state: 'free' }, Math.max(0, budget.cpus - cpus))
    metrics.admissionWaiting.set({}, waiting)
    for (const name of WORKER_STATES) metrics.workerState.set({ state: name }, name === state() ? 1 : 0)
    metrics.redisUp.set({}, queue.connected ? 1 : 0)
    metrics.redisFull.set({}, queue.full ? 1 : 0)
  })
  metrics.onScrape(async () => {
    // One worker reports the shared queue; otherwise a sum over workers would count each job many times.
    if (!(await queue.claim('queue-metrics', LEADER_MS))) {
      metrics.queueJobs.clear()
      metrics.queueOldestWaitingAge.clear()
      metrics.queueQuarantined.clear()
      metrics.resultsUntaken.clear()
      metrics.resultsUntakenBytes.clear()
      metrics.resultsOldestUntakenAge.clear()
      return
    }
    const { oldestWaitingAgeSeconds, quarantined, results, untaken, ...stats } = await queue.stats()
    const { waiting, active, delayed, prioritized, failed } = stats
    const counts = { waiting, active, delayed, prioritized, failed }
    for (const reason of QUARANTINE_REASONS) metrics.queueQuarantined.set({ reason }, quarantined[reason])
    metrics.queueOldestWaitingAge.set({}, oldestWaitingAgeSeconds)
    metrics.resultsUntaken.set({}, untaken.results)
    metrics.resultsUntakenBytes.set({}, untaken.bytes)
    metrics.resultsOldestUntakenAge.set({}, untaken.oldestAgeSeconds)
    for (const [name, count] of Object.entries(counts)) {
      metrics.queueJobs.set({ queue: 'jobs', state: name as keyof typeof counts }, count)
    }
    for (const [name, count] of Object.entries(results)) {
      metrics.queueJobs.set({ queue: 'results', state: name as keyof typeof results }, count)
    }
  })
}

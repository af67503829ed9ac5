import type { LanguageSummary } from '@isopod/protocol'
import type { ResultCache } from './cache/result-cache.ts'
import type { Observe } from './consumer-events.ts'
import type { WorkerStats } from './jobs/queue-stats.ts'
import type { JobWorkerOptions } from './jobs/worker-options.ts'
import type { QueueOptions } from './redis/queue-options.ts'
import type { RedisClock } from './redis/redis-clock.ts'
import type { UntakenMaxima } from './results/untaken-results.ts'
import type { TenantRules } from './tenants/tenant-rules.ts'
import type { AuditEntry } from './workers/audit-stream.ts'

/** Options of a worker's connection to the queue. */
export interface ConsumerOptions extends QueueOptions {
  /** Unique among all workers. */
  readonly workerId: string
  /** Approximate maximum length of the audit stream. @default no audit stream */
  readonly auditStreamLength?: number | undefined
  /** The operator's rules of tenants, published for producers. @default equal shares, no maxima */
  readonly tenants?: TenantRules | undefined
  /** Maximum number of waiting jobs, published for all producers. @default no maximum */
  readonly maxWaiting?: number | undefined
  /** Maxima of untaken results: this worker drops the oldest beyond them. @default no maxima */
  readonly maxUntaken?: Partial<UntakenMaxima> | undefined
  readonly observe?: Observe
}

/** The worker's side of the queue. */
export interface Consumer {
  /** Random id of this queue in this Redis, the same for all of its workers, which restore it if Redis loses its keys. */
  readonly deployment: string
  /** Whether Redis answers: it is connected, and the lease was renewed within 12 s. */
  readonly connected: boolean
  /** Whether Redis is at its `maxmemory`. Running jobs end, but no job is taken until results were taken or have expired. */
  readonly full: boolean
  /** The clock of Redis. While that of this host differs from it, the worker takes no jobs. */
  readonly clock: RedisClock
  /**
   * Starts to take jobs. A second call has no effect.
   *
   * @throws {ConfigError} if `concurrency` is not a whole number from 1
   */
  run(options: JobWorkerOptions): void
  /** Stops taking jobs; running jobs continue. */
  pause(): Promise<void>
  /** Takes jobs again. */
  resume(): void
  /**
   * Stops taking jobs, waits up to `graceMs` for running jobs, then aborts them with `JobInterrupted('shutdown')` and requeues
   * them in front. Resolves when no job runs, at the latest 10 s after the grace period.
   */
  drain(graceMs: number): Promise<void>
  /** Drains without a grace period and disconnects. A second call gets the same promise. */
  close(): Promise<void>
  stats(): Promise<WorkerStats>
  /** Publishes the languages that workers offer, for producers. */
  registerCatalogue(languages: readonly LanguageSummary[]): Promise<void>
  /** Appends to the audit stream, if there is one; never waits and never throws. */
  audit(entry: AuditEntry): void
  readonly lease: {
    /** Which of these workers are alive. */
    alive(workerIds: readonly string[]): Promise<Set<string>>
  }
  /** Results for equal jobs. */
  readonly cache: ResultCache
  /** Takes or keeps a role that only one worker can have, for `ttlMs`; false if another worker has it. */
  claim(role: string, ttlMs: number): Promise<boolean>
}

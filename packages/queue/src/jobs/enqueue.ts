import { type Job, utf8Bytes } from '@isopod/protocol'
import type { JobsOptions, Queue } from 'bullmq'
import { PLATFORM_TRIES } from '../redis/queue-options.ts'
import type { Turns, WithTurn } from '../tenants/turns.ts'
import type { DepthGate } from './depth-gate.ts'
import type { IdempotencyKeys, KeyClaim } from './idempotency-keys.ts'
import type { QueueDeadlines } from './queue-deadlines.ts'

/** Maximum number of jobs, and approximately of bytes, in one round trip. */
const BATCH_JOBS = 500
const BATCH_BYTES = 16 * 1024 * 1024

/** What Redis needs for a job besides its text, in bytes. */
const JOB_BYTES = 1000

/** One job to enqueue. */
export interface Entry {
  readonly id: string
  readonly job: Job
  /** Fingerprint of the job, if the id derives from an idempotency key; another job under the same key is refused. */
  readonly fingerprint?: string
}

/** A job to enqueue, and approximately how much memory it needs. */
interface SizedEntry extends Entry {
  readonly bytes: number
}

/** `existing`: an earlier submit of the same job has its id; nothing was added, unless that submit left no job. */
export type Enqueued = 'enqueued' | 'existing'

/** What decides about new jobs, and takes them. */
export interface EnqueueParts {
  readonly jobs: Queue
  readonly idempotencyKeys: IdempotencyKeys
  readonly turns: Turns
  readonly gate: DepthGate
  readonly deadlines: QueueDeadlines
}

/**
 * Enqueues jobs in order, 500 per round trip.
 *
 * @param now epoch milliseconds, by the clock of Redis
 * @param admit refuses jobs of so many bytes by throwing
 * @returns the outcome of each entry
 * @throws {IdempotencyConflictError} naming the index in the list; nothing was enqueued
 * @throws {TenantQueueFullError} nothing was enqueued
 * @throws {QueueFullError} nothing was enqueued
 */
export async function enqueueJobs(
  { jobs, idempotencyKeys, gate, turns, deadlines }: EnqueueParts,
  entries: readonly Entry[],
  now: number,
  admit: (bytes: number) => Promise<void>,
): Promise<Enqueued[]> {
  const claims = await claimKeys(idempotencyKeys, entries)
  // A pending job is added too, because the submit that claimed its key may have died. BullMQ ignores an id that it has.
  const wanted = entries
    .filter((_, index) => claims[index] !== 'existing')
    .map((entry) => ({ ...entry, bytes: roughBytes(entry.job) }))
  await gate.admit(wanted.length)
  if (wanted.length > 0) await admit(wanted.reduce((sum, { bytes }) => sum + bytes, 0))
  const added = await turns.take(wanted, () => gate.predictWait())
  await deadlines.note(added)
  for (const batch of batches(added)) {
    const [first, ...others] = batch.map(({ id, job, turn }) => ({
      name: 'execute',
      data: job,
      opts: jobOptions(id, turn, now),
    }))
    // A pipeline would cost more than the command for a single job.
    if (first !== undefined && others.length === 0) await jobs.add(first.name, first.data, first.opts)
    else if (first !== undefined) await jobs.addBulk([first, ...others])
  }
  await turns.settle(added)
  return claims.map((claim) => (claim === 'claimed' ? 'enqueued' : 'existing'))
}

/** Claims the keys of the entries that have one; all other entries count as claimed. */
async function claimKeys(idempotencyKeys: IdempotencyKeys, entries: readonly Entry[]): Promise<KeyClaim[]> {
  const keyed = entries.flatMap(({ id, fingerprint }, index) =>
    fingerprint === undefined ? [] : [{ id, fingerprint, index }],
  )
  const nameOf = (place: number) => (entries.length === 1 ? '' : `jobs[${keyed[place]?.index}].`)
  const found = await idempotencyKeys.claim(keyed, nameOf)
  const claims = entries.map((): KeyClaim => 'claimed')
  for (const [place, { index }] of keyed.entries()) claims[index] = found[place] ?? 'pending'
  return claims
}

function jobOptions(jobId: string, priority: number, timestamp: number): JobsOptions {
  return {
    jobId,
    timestamp,
    attempts: PLATFORM_TRIES,
    backoff: { type: 'exponential', delay: 500 },
    // The stored result is the record; a finished job need not stay.
    removeOnComplete: true,
    stackTraceLimit: 1,
    priority,
  }
}

/** Cuts a list so that no round trip has more than 500 jobs, or much more than 16 MiB. */
function* batches(entries: readonly WithTurn<SizedEntry>[]): Generator<WithTurn<SizedEntry>[]> {
  let batch: WithTurn<SizedEntry>[] = []
  let bytes = 0
  for (const entry of entries) {
    if (batch.length === BATCH_JOBS || (batch.length > 0 && bytes + entry.bytes > BATCH_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(entry)
    bytes += entry.bytes
  }
  if (batch.length > 0) yield batch
}

function roughBytes(job: Job): number {
  const files = Object.values(job.files ?? {}).reduce((sum, file) => sum + file.content.length, 0)
  const tests = job.tests === undefined ? 0 : utf8Bytes(JSON.stringify(job.tests))
  const input = job.inputData === undefined ? 0 : JSON.stringify(job.inputData).length
  const { args, env, compileArgs } = job
  const invocation = JSON.stringify([args, env, compileArgs]).length
  return JOB_BYTES + job.code.length + (job.stdin?.length ?? 0) + input + files + tests + invocation
}

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createIORedisClient } from 'bullmq'
import type { Redis } from 'ioredis'
import { KEEP_BATCH, LEAVE_BATCH, TAKE_BATCH } from './batch-lua.ts'
import { BatchBusyError, BatchConflictError } from './errors.ts'
import type { Keys } from './keys.ts'
import { repeat } from './repeat.ts'
import { decodeRecord, encodeRecord, type SampleRecord } from './sample-record.ts'

/** How long a batch stays with a producer that has gone silent, in milliseconds. */
const LEASE_MS = 10_000
const RENEWAL_MS = 3000
/** Pause between two looks at a batch that somebody has: shorter than a renewal, so that one of them is seen. */
const LOOK_MS = 1000

/** Which batch, and what must not change from one run of it to the next. */
export interface BatchOptions {
  readonly id: string
  /** How it is run, in one word; a batch that was started otherwise is refused. */
  readonly rules: string
  /** How long the state stays after the batch was last worked on, in seconds. */
  readonly ttlSeconds: number
  /** Ends the wait for a batch that another producer has, or had when it died. */
  readonly signal: AbortSignal
}

/** What Redis knows of a batch, while this producer and no other has it. */
export interface BatchState {
  /** Samples that were on record when the batch was taken. */
  readonly known: number
  /** Whether its callback was delivered before. */
  readonly delivered: boolean
  /** Aborted with a {@link BatchBusyError} when another producer has taken the batch, or its state is gone. */
  readonly lost: AbortSignal
  /** What is on record of a sample. */
  read(sample: string): Promise<SampleRecord | undefined>
  /** Puts a sample on record; the latest record counts. */
  record(sample: string, record: SampleRecord): Promise<void>
  /** Ids of all samples on record. */
  samples(): Promise<string[]>
  /** Notes that the callback was delivered. */
  noteDelivered(): Promise<void>
  /** Leaves the batch to whoever comes next. */
  release(): Promise<void>
}

/**
 * Takes a batch. A producer that died has it for 10 s more, which are waited for; one that lives is noticed when it renews.
 *
 * @throws {BatchBusyError} if another producer works on it
 * @throws {BatchConflictError} if it was started with other rules
 */
export async function takeBatch(redis: Redis, keys: Keys, options: BatchOptions): Promise<BatchState> {
  const { id, rules, ttlSeconds, signal } = options
  redis.defineCommand('isopodTakeBatch', { numberOfKeys: 3, lua: TAKE_BATCH })
  redis.defineCommand('isopodKeepBatch', { numberOfKeys: 4, lua: KEEP_BATCH })
  redis.defineCommand('isopodLeaveBatch', { numberOfKeys: 1, lua: LEAVE_BATCH })
  const client = createIORedisClient(redis)
  const batch = [keys.batch(id, 'lease'), keys.batch(id, 'state'), keys.batch(id, 'samples')] as const
  const [lease, state, samples] = batch
  const token = randomUUID()
  const terms = [token, LEASE_MS, ttlSeconds]

  const take = async (): Promise<unknown[]> => {
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const reply: unknown = await client.runCommand('isopodTakeBatch', [...batch, ...terms, rules])
      const [word, detail, delivered] = Array.isArray(reply) ? reply : []
      if (word === 'ours') return [detail, delivered]
      if (word === 'differs') {
        throw new BatchConflictError(`stopWhen: the batch ${id} was started with ${detail}, got ${rules}`)
      }
      const left = Number(detail)
      // Time only runs out of a lease, unless somebody renews it.
      if (left > before) throw new BatchBusyError(`id: another producer works on the batch ${id}`)
      before = left
      await sleep(Math.min(left + 1, LOOK_MS), undefined, { signal })
    }
  }
  const [known, delivered] = await take()
  const lost = new AbortController()
  const released = new AbortController()

  const keep = async (target: string, ...note: string[]): Promise<void> => {
    const kept: unknown = await client.runCommand('isopodKeepBatch', [...batch, target, ...terms, ...note])
    if (kept === 1) return
    lost.abort(new BatchBusyError(`id: another producer took over the batch ${id}, or its state is gone`))
    lost.signal.throwIfAborted()
  }
  // Trouble with Redis is met by whoever records; a lease that was not renewed meanwhile is taken again.
  void repeat(
    RENEWAL_MS,
    () => keep(state),
    AbortSignal.any([lost.signal, released.signal]),
    () => {},
  )

  return {
    known: Number(known),
    delivered: delivered === 1,
    lost: lost.signal,
    async read(sample) {
      const text = await redis.hget(samples, sample)
      return text === null ? undefined : decodeRecord(text)
    },
    record: (sample, record) => keep(samples, sample, encodeRecord(record)),
    samples: () => redis.hkeys(samples),
    noteDelivered: () => keep(state, 'delivered', String(Date.now())),
    async release() {
      released.abort()
      await client.runCommand('isopodLeaveBatch', [lease, token])
    },
  }
}

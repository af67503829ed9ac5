import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { BatchBusyError, BatchConflictError } from '../errors.ts'
import { defineScript } from '../redis/define-script.ts'
import { interval } from '../redis/interval.ts'
import type { Keys } from '../redis/keys.ts'
import { decodeRecord, encodeRecord, type SampleRecord } from './sample-record.ts'

/** Duration of a lease that is not renewed, in milliseconds. */
const LEASE_MS = 10_000
const RENEWAL_MS = 3000
/** Pause between two checks of another producer's lease: shorter than a renewal, so that a renewal is noticed. */
const CHECK_MS = 1000

/**
 * Takes a batch for one producer, unless another producer has it.
 *
 * KEYS: lease, state and samples of the batch. ARGV: token of the producer, length of the lease in milliseconds, time to live of the
 * state in seconds, rules of the batch.
 *
 * Returns `busy` and the milliseconds that the lease has left; `differs` and the recorded rules; or `ours`, the number of
 * recorded samples, and 1 if its callback was delivered.
 */
const TAKE_BATCH = `
local left = redis.call('PTTL', KEYS[1])
if left > 0 then return {'busy', left} end
local rules = redis.call('HGET', KEYS[2], 'rules')
if rules and rules ~= ARGV[4] then return {'differs', rules} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('HSET', KEYS[2], 'owner', ARGV[1], 'rules', ARGV[4])
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[3])
return {'ours', redis.call('HLEN', KEYS[3]), redis.call('HEXISTS', KEYS[2], 'delivered')}
`

/**
 * Renews the lease, and writes a field of a hash if there is one to write. It is the fence: nothing changes after another producer
 * took the batch. A lease that has expired is taken again if no other producer took it meanwhile.
 *
 * KEYS: lease, state and samples, and the hash. ARGV: the first three as above; field and value, or none.
 * Returns 1, or 0 if another producer has the batch.
 */
const KEEP_BATCH = `
if redis.call('HGET', KEYS[2], 'owner') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
if ARGV[4] then redis.call('HSET', KEYS[4], ARGV[4], ARGV[5]) end
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[3])
return 1
`

/** Releases the lease. KEYS: lease. ARGV: token of the producer. */
const RELEASE_BATCH = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`

/** A batch to take, and what must be the same each time. */
export interface BatchClaim {
  readonly id: string
  /** Rules of the batch; a batch that was started with other rules is refused. */
  readonly rules: string
  /** Time to live of the state after its last change, in seconds. */
  readonly ttlSeconds: number
  /** Ends the wait for the lease of another producer. */
  readonly signal: AbortSignal
}

/** The state of a batch that this producer has taken. */
export interface BatchState {
  /** Number of samples that were recorded when the batch was taken. */
  readonly known: number
  /** Whether its callback was delivered. */
  readonly delivered: boolean
  /** Aborts with a {@link BatchBusyError} when another producer has taken the batch, or its state is gone. */
  readonly lost: AbortSignal
  /** The record of a sample. */
  read(sample: string): Promise<SampleRecord | undefined>
  /** Records a sample; the latest record counts. */
  record(sample: string, record: SampleRecord): Promise<void>
  /** Ids of all recorded samples. */
  samples(): Promise<string[]>
  /** Records that the callback was delivered. */
  noteDelivered(): Promise<void>
  /** Releases the batch for the next producer. */
  release(): Promise<void>
}

/**
 * Takes a batch. Waits for the lease of a dead producer, up to 10 s; a live one is noticed when it renews its lease.
 *
 * @throws {BatchBusyError} if another producer works on it
 * @throws {BatchConflictError} if it was started with other rules
 */
export async function takeBatch(redis: Redis, keys: Keys, claim: BatchClaim): Promise<BatchState> {
  const { id, rules, ttlSeconds, signal } = claim
  const takeScript = defineScript(redis, 'isopodTakeBatch', 3, TAKE_BATCH)
  const keepScript = defineScript(redis, 'isopodKeepBatch', 4, KEEP_BATCH)
  const releaseScript = defineScript(redis, 'isopodReleaseBatch', 1, RELEASE_BATCH)
  const batch = [keys.batch(id, 'lease'), keys.batch(id, 'state'), keys.batch(id, 'samples')] as const
  const [lease, state, samples] = batch
  const token = randomUUID()
  const terms = [token, LEASE_MS, ttlSeconds] as const

  const take = async (): Promise<unknown[]> => {
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const reply = await takeScript(...batch, ...terms, rules)
      const [word, detail, delivered] = Array.isArray(reply) ? reply : []
      if (word === 'ours') return [detail, delivered]
      if (word === 'differs') {
        throw new BatchConflictError(`stopWhen: the batch ${id} was started with ${detail}, got ${rules}`)
      }
      const left = Number(detail)
      // Only a renewal lengthens the time that is left.
      if (left > before) throw new BatchBusyError(`id: another producer works on the batch ${id}`)
      before = left
      await sleep(Math.min(left + 1, CHECK_MS), undefined, { signal })
    }
  }
  const [known, delivered] = await take()
  const lost = new AbortController()
  const released = new AbortController()

  const keep = async (target: string, ...note: string[]): Promise<void> => {
    const kept = await keepScript(...batch, target, ...terms, ...note)
    if (kept === 1) return
    lost.abort(new BatchBusyError(`id: another producer took over the batch ${id}, or its state is gone`))
    lost.signal.throwIfAborted()
  }
  // Calls of `record` report errors of Redis; an expired lease is taken again.
  void interval(
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
      await releaseScript(lease, token)
    },
  }
}

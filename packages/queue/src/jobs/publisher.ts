import { setTimeout as sleep } from 'node:timers/promises'
import type { Result, StoredResult } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import type { Publication } from '../consumer-events.ts'
import { toError } from '../errors.ts'
import { defineScript, type RedisScript } from '../redis/define-script.ts'
import { type Keys, NO_RESULTS_QUEUE, resultJobId } from '../redis/keys.ts'
import { healQueue, isMendable } from '../redis/quarantine.ts'
import { splitResult, storeOutputs } from '../results/large-outputs.ts'
import { ENQUEUE_WEBHOOK } from '../webhooks/webhook-lua.ts'
import { PROGRESS } from './stored-job.ts'

/** Maximum size of a result in a message to waiting callers, in bytes; they fetch a larger one. */
const MAX_MESSAGE_BYTES = 64 * 1024
/** Pauses between two attempts at a publication, in milliseconds. */
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2000

/** BullMQ's options of a result in a results queue: it is retried until a consumer has acknowledged it, then removed. */
const RESULT_OPTIONS = JSON.stringify({
  attempts: 2 ** 31 - 1,
  backoff: { type: 'fixed', delay: 5000, jitter: 0.5 },
  removeOnComplete: true,
  stackTraceLimit: 1,
})

/**
 * Publishes a result atomically: stores it, adds it to its results queue, enqueues its webhook and notifies waiting callers.
 *
 * KEYS: stored result; hash of the job; hash of the result in the results queue; count of requeues; names of results queues; of
 * the results queue: wait, meta, marker; starts of the job; untaken results; if there are large outputs, those of this start and
 * of the published result. ARGV: the attempt that made the result; time to live in seconds; name of the results queue; the prefix
 * of all keys; channel of the waiting callers; the result; id and options of the result in the results queue; id of the job; if
 * there is a webhook, its callback URL, tenant and target.
 *
 * Returns `ok`, `duplicate` or `fenced`. Keys of the wrong type are removed.
 */
const PUBLISH = `
local function is_there(key, wanted)
  local kind = redis.call('TYPE', key).ok
  if kind ~= wanted and kind ~= 'none' then redis.call('DEL', key) end
  return kind == wanted
end
if redis.call('EXISTS', KEYS[1], KEYS[3]) > 0 and (is_there(KEYS[1], 'string') or is_there(KEYS[3], 'hash')) then
  return 'duplicate'
end
local started = redis.pcall('HGET', KEYS[2], 'ats')
if type(started) ~= 'string' then started = is_there(KEYS[2], 'hash') and '0' end
if started ~= ARGV[1] then return 'fenced' end
-- Not the caller's clock: a sweep compares it with that of another host.
local time = redis.call('TIME')
-- As text, because Redis formats each number that a script passes to a command, which takes longer than many commands.
local published_at = time[1] .. string.sub('00000' .. time[2], -6, -4)
-- The first write is one that a full Redis takes, and then it takes the others, too: otherwise nothing would be freed.
redis.call('DEL', KEYS[4], KEYS[9])
local is_queued = ARGV[3] ~= '${NO_RESULTS_QUEUE}'
local is_paused = is_queued and redis.call('HEXISTS', KEYS[7], 'paused') == 1
-- Then the steps that can fail. A script that fails undoes nothing, and a result in a queue must also be stored.
if ARGV[10] then
  -- Defined only here, because a definition costs time.
${ENQUEUE_WEBHOOK}
  enqueue_webhook(ARGV[4], ARGV[9], ARGV[10], ARGV[11], ARGV[12], tonumber(ARGV[2]))
end
if is_queued then
  redis.call('LPUSH', KEYS[6], ARGV[7])
  redis.call('HSET', KEYS[3], 'name', 'result', 'data', ARGV[6], 'opts', ARGV[8],
    'timestamp', published_at, 'delay', '0', 'priority', '0')
end
redis.call('SET', KEYS[1], ARGV[6], 'EX', ARGV[2])
-- If they are gone, the result stays shortened.
if KEYS[11] and not redis.pcall('RENAME', KEYS[11], KEYS[12]).err then redis.call('EXPIRE', KEYS[12], ARGV[2]) end
redis.call('HSET', KEYS[2], 'progress', '${JSON.stringify(PROGRESS.published)}')
if is_queued and not is_paused then redis.pcall('ZADD', KEYS[8], '0', '0') end
if is_queued then redis.pcall('ZADD', KEYS[5], published_at, ARGV[3]) end
-- Without the permission to publish, waiting callers poll.
local heard = redis.pcall('PUBLISH', ARGV[5], #ARGV[6] <= ${MAX_MESSAGE_BYTES} and ARGV[6] or '')
-- A caller that waits takes a result that goes to no queue.
if is_queued or type(heard) ~= 'number' or heard == 0 then
  redis.pcall('ZADD', KEYS[10], published_at, ARGV[3] .. ':' .. ARGV[9])
end
return 'ok'
`

/** A result to publish. */
export interface Outgoing {
  readonly result: StoredResult
  /** The start of the job that made it; the fence. */
  readonly attempt: number
  readonly replyTo: string
  /** Where a webhook delivers the result. */
  readonly callbackUrl?: string | undefined
}

/** Publishes each result once: what is stored, queued and delivered exists completely or not at all. */
export class Publisher {
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #ttlSeconds: number
  readonly #script: RedisScript

  constructor(redis: Redis, keys: Keys, ttlSeconds: number) {
    this.#redis = redis
    this.#keys = keys
    this.#ttlSeconds = ttlSeconds
    this.#script = defineScript(redis, 'isopodPublish', 'varies', PUBLISH)
  }

  /**
   * Publishes a result once; it is safe to repeat.
   *
   * @throws errors of Redis and of the connection; the result may have been published or not
   */
  publish(outgoing: Outgoing): Promise<Publication> {
    return this.#publish(JSON.stringify(outgoing.result), outgoing)
  }

  /**
   * Publishes a result and retries until Redis accepts it, so that a finished outcome survives an outage of Redis. Large outputs are
   * stored apart first; if Redis has no room for them, the result is published with their first part.
   *
   * @param onError called after each failed attempt
   * @param abandoned ends the retries; the last error is then thrown
   */
  async publishPersistently(
    given: Outgoing & { readonly result: Result },
    onError: (error: Error) => void,
    abandoned: AbortSignal,
  ): Promise<Publication> {
    const persist = <T>(task: () => Promise<T>) => this.#persist(task, given.replyTo, onError, abandoned)
    const split = splitResult(given.result)
    if (split === undefined) return await persist(() => this.#publishOnce(given))
    const key = this.#keys.outputs(given.result.id, given.attempt)
    const isStored = await persist(() => storeOutputs(this.#redis, key, split.outputs))
    const { storedApart: _, ...withoutOutputs } = split.shortened
    const outgoing = { ...given, result: isStored ? split.shortened : withoutOutputs }
    const publication = await persist(() => this.#publishOnce(outgoing))
    // Those of a start that published nothing.
    await this.#redis.unlink(key).catch(() => {})
    return publication
  }

  /** Repeats a task until it succeeds. */
  async #persist<T>(
    task: () => Promise<T>,
    replyTo: string,
    onError: (error: Error) => void,
    abandoned: AbortSignal,
  ): Promise<T> {
    // Not p-retry, which throws the reason of an abort instead of the last error, and never retries a TypeError.
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        return await task()
      } catch (thrown) {
        const error = toError(thrown)
        onError(error)
        if (abandoned.aborted) throw error
        // A key of the wrong type would fail every attempt.
        const results = this.#keys.results(replyTo, '')
        if (isMendable(error)) await healQueue(this.#redis, results).catch(() => {})
        await sleep(pause, undefined, { signal: abandoned }).catch(() => {})
      }
    }
  }

  /** Publishes a result that this call may have published before. */
  async #publishOnce(outgoing: Outgoing): Promise<Publication> {
    const data = JSON.stringify(outgoing.result)
    const publication = await this.#publish(data, outgoing)
    if (publication !== 'duplicate') return publication
    // An earlier attempt whose reply was lost may have published it; ioredis repeats some commands.
    return (await this.#redis.get(this.#keys.result(outgoing.result.id))) === data ? 'ok' : 'duplicate'
  }

  async #publish(data: string, { result, attempt, replyTo, callbackUrl }: Outgoing): Promise<Publication> {
    const { id, tenant } = result
    const keys = this.#keys
    const webhook = callbackUrl === undefined ? null : URL.parse(callbackUrl)
    const keysOfResult = [
      keys.result(id),
      keys.job(id),
      keys.results(replyTo, resultJobId(id)),
      keys.requeues(id),
      keys.replyQueues,
      keys.results(replyTo, 'wait'),
      keys.results(replyTo, 'meta'),
      keys.results(replyTo, 'marker'),
      keys.starts(id),
      keys.untaken,
      ...(result.storedApart === undefined ? [] : [keys.outputs(id, attempt), keys.outputs(id)]),
    ]
    const publication = await this.#script(
      keysOfResult.length,
      ...keysOfResult,
      attempt,
      this.#ttlSeconds,
      replyTo,
      keys.tag,
      keys.doneChannel(id),
      data,
      resultJobId(id),
      RESULT_OPTIONS,
      id,
      ...(webhook === null ? [] : [callbackUrl ?? '', tenant, webhook.host]),
    )
    if (publication === 'ok' || publication === 'duplicate' || publication === 'fenced') return publication
    throw new Error(`Redis returned an unexpected reply to a publication: ${JSON.stringify(publication)}`)
  }
}

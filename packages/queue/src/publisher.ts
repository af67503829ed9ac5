import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '@isopod/protocol'
import { createIORedisClient, type KeysMap, type Queue, QueueKeys, raw2NextJobData } from 'bullmq'
import type { Redis } from 'ioredis'
import { bullScript } from './bull-script.ts'
import { type Completing, Completion, markFresh } from './completion.ts'
import { toError } from './errors.ts'
import { type Keys, resultJobId, resultsQueue } from './keys.ts'
import { PUBLISH_KEYS, publishScript } from './publish-lua.ts'
import { healQueue, isMendable } from './quarantine.ts'

/**
 * How a publication ended: `ok`, this result is the job's result; `duplicate`, the job had one already; `fenced`, a later
 * start of the job took over, or the job is gone. Only `ok` changed anything.
 */
export type Publication = 'ok' | 'duplicate' | 'fenced'

/** A result on its way out. */
export interface Outgoing {
  readonly result: Result
  /** Which start of the job produced it; the fence. */
  readonly attempt: number
  readonly replyTo: string
  /** Where a webhook tells of the result. */
  readonly callbackUrl?: string | undefined
}

/** A publication, and what became of the job if it was to be completed with it. */
export interface Published {
  readonly publication: Publication
  /** Missing if the job was not completed; it is then still BullMQ's to complete. */
  readonly completion?: Completion
}

/** Name under which the client knows our script. */
const PUBLISH = 'isopodPublish'

/** How BullMQ treats a result on its way: as many tries to hand it over as it takes, and nothing stays of it then. */
const TRAVELLING = JSON.stringify({
  attempts: 2 ** 31 - 1,
  backoff: { type: 'fixed', delay: 5000, jitter: 0.5 },
  removeOnComplete: true,
  stackTraceLimit: 1,
})

/**
 * Writes results exactly once, in one script: the stored result and the one on its way exist both or not at all, whatever
 * fails. The same script completes the job, if asked to, and takes the next one: one round trip for the whole end of a job.
 */
export class Publisher {
  readonly #redis: Redis
  readonly #client: ReturnType<typeof createIORedisClient>
  readonly #keys: Keys
  readonly #jobs: Queue
  readonly #ttlSeconds: number
  #latest: { readonly replyTo: string; readonly queueKeys: KeysMap } = { replyTo: '', queueKeys: {} }
  #ready: Promise<void> | undefined

  constructor(redis: Redis, keys: Keys, jobs: Queue, ttlSeconds: number) {
    this.#redis = redis
    this.#client = createIORedisClient(redis)
    this.#keys = keys
    this.#jobs = jobs
    this.#ttlSeconds = ttlSeconds
  }

  /**
   * Publishes one result, and leaves its job as it is.
   *
   * @throws what Redis or the connection to it says; it is then unknown whether the result was published, and trying again is safe
   */
  async publish(outgoing: Outgoing): Promise<Publication> {
    return (await this.#send(JSON.stringify(outgoing.result), outgoing)).publication
  }

  /**
   * Publishes, and tries again until Redis takes it: a finished outcome outlives an outage of Redis.
   *
   * @param failed told of each failed try
   * @param givenUp ends the tries; the last error is then thrown
   * @param completing completes the job in the same step, unless a later start of it took over; asked anew for each try
   */
  async publishPatiently(
    outgoing: Outgoing,
    failed: (error: Error) => void,
    givenUp: AbortSignal,
    completing: () => Completing | undefined,
  ): Promise<Published> {
    const data = JSON.stringify(outgoing.result)
    for (let pause = 100; ; pause = Math.min(pause * 2, 2000)) {
      try {
        const published = await this.#send(data, outgoing, completing())
        if (published.publication !== 'duplicate') return published
        // An earlier try whose answer was lost may have been the one that published; the client repeats some by itself.
        const isOurs = await this.#isStored(outgoing.result.id, data)
        return isOurs ? { ...published, publication: 'ok' } : published
      } catch (thrown) {
        const error = toError(thrown)
        failed(error)
        if (givenUp.aborted) throw error
        if (isMendable(error)) await this.#heal(outgoing.replyTo).catch(() => {})
        await sleep(pause, undefined, { signal: givenUp }).catch(() => {})
      }
    }
  }

  async #send(data: string, outgoing: Outgoing, completing?: Completing): Promise<Published> {
    this.#ready ??= this.#define()
    await this.#ready
    const { result, attempt, replyTo, callbackUrl } = outgoing
    const results = this.#keysOf(replyTo)
    const reply: unknown = await this.#client.runCommand(PUBLISH, [
      PUBLISH_KEYS,
      this.#keys.result(result.id),
      this.#keys.job(result.id),
      this.#keys.resultJob(replyTo, result.id),
      this.#keys.cancelFlag(result.id),
      this.#keys.replyQueues,
      results['wait'],
      results['meta'],
      results['marker'],
      attempt,
      this.#ttlSeconds,
      replyTo,
      Date.now(),
      this.#keys.tag,
      this.#keys.doneChannel(result.id),
      data,
      resultJobId(result.id),
      TRAVELLING,
      result.id,
      ...webhookArgs(callbackUrl, result.tenant),
      ...(completing ? this.#completionArgs(completing) : []),
    ])
    const [publication, finished, isKnown] = Array.isArray(reply) ? reply : []
    if (publication !== 'ok' && publication !== 'duplicate' && publication !== 'fenced') {
      throw new Error(`Redis gave no answer to a publication, but ${JSON.stringify(reply)}`)
    }
    const completion = completionOf(finished)
    if (isKnown === 0) markFresh(completion?.next?.[0])
    return completion === undefined ? { publication } : { publication, completion }
  }

  #completionArgs({ token, lockMs, worker, goesOn }: Completing): (string | number)[] {
    return [this.#keys.job(''), token, lockMs, worker, goesOn ? 1 : 0]
  }

  /** Mends both queues that a publication writes to: else a key of the wrong type would hold it up for ever, and its slot. */
  async #heal(replyTo: string): Promise<void> {
    await healQueue(this.#redis, `${this.#keys.tag}:${resultsQueue(replyTo)}:`)
    await healQueue(this.#redis, this.#keys.job(''))
  }

  /** Keys of a results queue; most results go where the last one went. */
  #keysOf(replyTo: string): KeysMap {
    if (this.#latest.replyTo !== replyTo) {
      this.#latest = { replyTo, queueKeys: new QueueKeys(this.#keys.tag).getKeys(resultsQueue(replyTo)) }
    }
    return this.#latest.queueKeys
  }

  async #define(): Promise<void> {
    // Only then has BullMQ registered the scripts that ours is made of.
    await this.#jobs.waitUntilReady()
    this.#redis.defineCommand(PUBLISH, { lua: publishScript(bullScript(this.#redis, 'moveToFinished').lua) })
  }

  async #isStored(id: string, data: string): Promise<boolean> {
    return (await this.#redis.get(this.#keys.result(id))) === data
  }
}

/** Callback URL, tenant and target; all empty where there is no webhook. */
function webhookArgs(callbackUrl: string | undefined, tenant: string): string[] {
  const url = callbackUrl === undefined ? null : URL.parse(callbackUrl)
  return callbackUrl === undefined || url === null ? ['', '', ''] : [callbackUrl, tenant, url.host]
}

/** What BullMQ's script said; missing if it refused, which it will say to its own worker when asked again. */
function completionOf(finished: unknown): Completion | undefined {
  if (Array.isArray(finished)) return new Completion(raw2NextJobData(finished))
  if (finished === 0) return new Completion([])
  // The job is gone: an earlier try completed it, and which job it took was lost with the answer.
  if (finished === -1) return new Completion(undefined)
  return undefined
}

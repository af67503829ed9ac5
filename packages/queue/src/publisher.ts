import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '@isopod/protocol'
import { createIORedisClient, type IRedisTransaction, type JobJson, type Queue, QueueKeys } from 'bullmq'
import type { ChainableCommander, Redis } from 'ioredis'
import { type Keys, resultJobId, resultsQueue } from './keys.ts'
import { GATE, SETTLE } from './publish-lua.ts'

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
}

/** Attempts of a results consumer to hand one result over: as many as it takes. */
const ENDLESS = 2 ** 31 - 1

/**
 * Writes results exactly once. One transaction of three commands, one round trip:
 *
 * 1. the gate decides; if the answer is no, it occupies the id of the result's job in the results queue;
 * 2. BullMQ adds that job, which does nothing when the id is occupied;
 * 3. the settlement frees an occupied id, or else stores the result from the job that was added.
 *
 * So the stored result and the one on its way exist both or not at all, whatever fails in between.
 */
export class Publisher {
  readonly #redis: Redis
  readonly #keys: Keys
  readonly #jobs: Queue
  readonly #ttlSeconds: number

  constructor(redis: Redis, keys: Keys, jobs: Queue, ttlSeconds: number) {
    this.#redis = redis
    this.#keys = keys
    this.#jobs = jobs
    this.#ttlSeconds = ttlSeconds
  }

  /**
   * Publishes one result.
   *
   * @throws what Redis or the connection to it says; it is then unknown whether the result was published, and trying again is safe
   */
  async publish(outgoing: Outgoing): Promise<Publication> {
    const { result, attempt, replyTo } = outgoing
    const job = this.#keys.resultJob(replyTo, result.id)
    const stored = this.#keys.result(result.id)
    const data = JSON.stringify(result)
    await this.#jobs.waitUntilReady()
    const multi = createIORedisClient(this.#redis).multi() as ChainableCommander & IRedisTransaction
    // EVAL, not EVALSHA: inside a transaction a script that Redis has forgotten would be skipped, not resent.
    multi.eval(GATE, 3, stored, this.#keys.job(result.id), job, attempt)
    const queueKeys = new QueueKeys(this.#keys.tag).getKeys(resultsQueue(replyTo))
    const backend = this.#jobs.getBackend()
    await backend.addJobToTransaction(
      multi,
      travelling(result.id, data),
      resultJobId(result.id),
      {},
      queueKeys,
    )
    const flag = this.#keys.cancelFlag(result.id)
    const now = Date.now()
    multi.eval(SETTLE, 4, stored, job, flag, this.#keys.replyQueues, this.#ttlSeconds, replyTo, now)
    const replies = (await multi.exec()) ?? []
    const [gateError, verdict] = replies[0] ?? [new Error('Redis gave no answer to a transaction'), null]
    if (gateError !== null) throw gateError
    if (verdict === 'duplicate' || verdict === 'fenced') return verdict
    const [settleError, settled] = replies[2] ?? [null, 0]
    if (settled === 1) return 'ok'
    throw this.#notAdded(replies[1]?.[0] ?? settleError)
  }

  /**
   * Publishes, and tries again until Redis takes it: a finished outcome outlives an outage of Redis.
   *
   * @param failed told of each failed try
   * @param givenUp ends the tries; the last error is then thrown
   */
  async publishPatiently(
    outgoing: Outgoing,
    failed: (error: Error) => void,
    givenUp: AbortSignal,
  ): Promise<Publication> {
    for (let pause = 100; ; pause = Math.min(pause * 2, 2000)) {
      try {
        const publication = await this.publish(outgoing)
        if (publication === 'duplicate' && pause > 100 && (await this.#isStored(outgoing.result))) return 'ok'
        return publication
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error))
        failed(cause)
        if (givenUp.aborted) throw cause
        await sleep(pause, undefined, { signal: givenUp }).catch(() => {})
      }
    }
  }

  /** An earlier try whose answer was lost may have been the one that published. */
  async #isStored(result: Result): Promise<boolean> {
    return (await this.#redis.get(this.#keys.result(result.id))) === JSON.stringify(result)
  }

  #notAdded(cause: Error | null | undefined): Error {
    // SCRIPT FLUSH: the client believes that this connection has loaded the script; a new connection loads it anew.
    if (cause?.message.includes('NOSCRIPT')) this.#redis.disconnect(true)
    return cause ?? new Error('Redis did not add the result to the results queue')
  }
}

function travelling(id: string, data: string): JobJson {
  return {
    id: resultJobId(id),
    name: 'result',
    data,
    opts: {
      attempts: ENDLESS,
      backoff: { type: 'fixed', delay: 5000, jitter: 0.5 },
      removeOnComplete: true,
      stackTraceLimit: 1,
    },
    progress: 0,
    attemptsMade: 0,
    attemptsStarted: 0,
    stalledCounter: 0,
    timestamp: Date.now(),
    failedReason: '',
    returnvalue: '',
  }
}

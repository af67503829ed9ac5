import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '@isopod/protocol'
import {
  createIORedisClient,
  type IRedisTransaction,
  type JobJson,
  type KeysMap,
  type Queue,
  QueueKeys,
  raw2NextJobData,
} from 'bullmq'
import type { Redis } from 'ioredis'
import { bullScript } from './bull-script.ts'
import { COMPLETION_KEYS, Completion, type CompletionArgs, markFresh } from './completion.ts'
import { toError } from './consumer-events.ts'
import { type Keys, resultJobId, resultsQueue } from './keys.ts'
import { ADD_KEYS, OWN_KEYS, publishScript } from './publish-lua.ts'

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

/** A publication, and what became of the job if it was to be completed with it. */
export interface Published {
  readonly publication: Publication
  /** Missing if the job was not completed; it is then still BullMQ's to complete. */
  readonly completion?: Completion
}

/** Name under which the client knows our script. */
const PUBLISH = 'isopodPublish'

/** Attempts of a results consumer to hand one result over: as many as it takes. */
const ENDLESS = 2 ** 31 - 1

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
  /** Most results go where the last one went. */
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
    return (await this.#send(JSON.stringify(outgoing.result), outgoing, [])).publication
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
    completing: () => CompletionArgs,
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
        await sleep(pause, undefined, { signal: givenUp }).catch(() => {})
      }
    }
  }

  async #send(data: string, outgoing: Outgoing, completing: CompletionArgs): Promise<Published> {
    this.#ready ??= this.#define()
    await this.#ready
    const { result, attempt, replyTo } = outgoing
    const add = await this.#addArgs(result.id, data, replyTo)
    const reply: unknown = await this.#client.runCommand(PUBLISH, [
      OWN_KEYS + ADD_KEYS + Math.min(completing.length, COMPLETION_KEYS),
      this.#keys.result(result.id),
      this.#keys.job(result.id),
      this.#keys.resultJob(replyTo, result.id),
      this.#keys.cancelFlag(result.id),
      this.#keys.replyQueues,
      ...add.slice(0, ADD_KEYS),
      ...completing.slice(0, COMPLETION_KEYS),
      attempt,
      this.#ttlSeconds,
      replyTo,
      Date.now(),
      this.#keys.tag,
      this.#keys.doneChannel(result.id),
      ...add.slice(ADD_KEYS),
      ...completing.slice(COMPLETION_KEYS),
    ])
    const [publication, finished, isKnown] = Array.isArray(reply) ? reply : []
    if (publication !== 'ok' && publication !== 'duplicate' && publication !== 'fenced') {
      throw new Error(`Redis gave no answer to a publication, but ${JSON.stringify(reply)}`)
    }
    const completion = completionOf(finished)
    if (isKnown === 0) markFresh(completion?.next?.[0])
    return completion === undefined ? { publication } : { publication, completion }
  }

  /** What BullMQ gives its script that adds a job: keys, then arguments. */
  async #addArgs(id: string, data: string, replyTo: string): Promise<unknown[]> {
    let args: unknown[] = []
    const recorder = {
      runCommand(_name: string, given: unknown[]) {
        args = given
        return 0
      },
    } as unknown as IRedisTransaction
    if (this.#latest.replyTo !== replyTo) {
      const queueKeys = new QueueKeys(this.#keys.tag).getKeys(resultsQueue(replyTo))
      this.#latest = { replyTo, queueKeys }
    }
    const { queueKeys } = this.#latest
    const backend = this.#jobs.getBackend()
    await backend.addJobToTransaction(recorder, travelling(id, data), resultJobId(id), {}, queueKeys)
    return args
  }

  async #define(): Promise<void> {
    // Only then has BullMQ registered the scripts that ours is made of.
    await this.#jobs.waitUntilReady()
    const lua = publishScript(
      bullScript(this.#redis, 'addStandardJob').lua,
      bullScript(this.#redis, 'moveToFinished').lua,
    )
    this.#redis.defineCommand(PUBLISH, { lua })
  }

  async #isStored(id: string, data: string): Promise<boolean> {
    return (await this.#redis.get(this.#keys.result(id))) === data
  }
}

/** What BullMQ's script said; missing if it refused, which it will say to its own worker when asked again. */
function completionOf(finished: unknown): Completion | undefined {
  if (Array.isArray(finished)) return new Completion(raw2NextJobData(finished))
  if (finished === 0) return new Completion([])
  // The job is gone: an earlier try completed it, and which job it took was lost with the answer.
  if (finished === -1) return new Completion(undefined)
  return undefined
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

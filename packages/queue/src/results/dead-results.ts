import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { type DeploymentRedis, openDeploymentRedis } from '../redis/deployment-redis.ts'
import { type Keys, resultJobId, resultsQueue } from '../redis/keys.ts'
import type { QueueOptions } from '../redis/queue-options.ts'
import { isSafeId } from '../redis/safe-id.ts'

/** Ids per Redis command. */
const PAGE = 500

/** A result that no delivery to its consumer succeeded for. */
export interface DeadResult {
  /** Id of the job. */
  readonly id: string
  /** Name of the results queue. */
  readonly replyTo: string
  /** How often it was delivered. */
  readonly deliveries: number
  /** When it was given up, in epoch milliseconds. */
  readonly givenUpAt: number
  /** Why the last delivery failed. */
  readonly error: string
}

/**
 * The results of a deployment that their consumers could not handle: the jobs of the results queues that failed for BullMQ. They stay
 * for the time to live of results, at most 1000 a queue.
 */
export class DeadResults {
  readonly #deployment: DeploymentRedis

  constructor(deployment: DeploymentRedis) {
    this.#deployment = deployment
  }

  /** Dead results, queue by queue, the latest first. @param replyTo only this queue */
  async *list(replyTo?: string): AsyncGenerator<DeadResult> {
    const { ask, keys } = this.#deployment
    for (const name of replyTo === undefined ? await this.#queues() : [replyTo]) {
      for (let first = 0; ; first += PAGE) {
        const failed = keys.results(name, 'failed')
        const ids = await ask((redis) => redis.zrevrange(failed, first, first + PAGE - 1))
        if (ids.length === 0) break
        yield* await this.#read(name, ids)
      }
    }
  }

  /** Delivers a dead result again, with no deliveries counted. Resolves with false if it is not dead, or has expired. */
  async redeliver(id: string): Promise<boolean> {
    if (!isSafeId(id)) return false
    const { ask, keys } = this.#deployment
    for (const name of await this.#queues()) {
      const isHere = await ask((redis) => redis.zscore(keys.results(name, 'failed'), resultJobId(id)))
      if (isHere !== null) return await ask((redis) => retry(redis, keys, name, id))
    }
    return false
  }

  /** Disconnects; a second call has no effect. */
  close(): void {
    this.#deployment.close()
  }

  #queues(): Promise<string[]> {
    const { ask, keys } = this.#deployment
    return ask((redis) => redis.zrange(keys.replyQueues, '0', '-1'))
  }

  async #read(replyTo: string, ids: readonly string[]): Promise<DeadResult[]> {
    const { ask, keys } = this.#deployment
    const fields = ['failedReason', 'finishedOn', 'ats'] as const
    const replies = await ask((redis) =>
      redis.pipeline(ids.map((id) => ['hmget', keys.results(replyTo, id), ...fields])).exec(),
    )
    return ids.map((id, at) => {
      const [error, givenUpAt, deliveries] = (replies?.[at]?.[1] ?? []) as (string | null)[]
      return {
        ...{ id: id.slice(resultJobId('').length), replyTo, error: error ?? '' },
        ...{ givenUpAt: Number(givenUpAt), deliveries: Number(deliveries) },
      }
    })
  }
}

/**
 * Connects to the dead results of a deployment.
 *
 * @throws {UnavailableError} within 5 s if Redis does not answer
 */
export async function openDeadResults(options: QueueOptions): Promise<DeadResults> {
  return new DeadResults(await openDeploymentRedis(options))
}

async function retry(redis: Redis, keys: Keys, replyTo: string, id: string): Promise<boolean> {
  const queue = new Queue(resultsQueue(replyTo), {
    ...{ connection: redis, prefix: keys.tag, skipMetasUpdate: true },
  })
  queue.on('error', () => {})
  try {
    const job = await queue.getJob(resultJobId(id))
    await job?.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true })
    return job !== undefined
  } finally {
    await queue.close()
  }
}

import { randomUUID } from 'node:crypto'
import type { DeploymentRedis } from '@isopod/queue'

/** Lifetime of a reservation whose gateway died before the submit, in milliseconds. */
const RESERVED_MS = 60_000

/** One execution in a list. */
export interface ListedExecution {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly submittedAt: number
}

/** One page of a list; `cursor` requests the next page and is undefined on the last. */
export interface ExecutionPage {
  readonly executions: readonly ListedExecution[]
  readonly cursor: string | undefined
}

/**
 * Reserves places for executions of a key. If there are too few, it first removes executions that have a result or no job.
 * A member that begins with `+` is a reservation of a gateway that has not enqueued yet.
 */
const ADMIT = `
local inFlight, tag = KEYS[1], ARGV[1]
local wanted, maximum, now, reserved = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
if redis.call('ZCARD', inFlight) + wanted > maximum then
  for _, id in ipairs(redis.call('ZRANGE', inFlight, 0, 999)) do
    local over
    if string.sub(id, 1, 1) == '+' then
      over = tonumber(redis.call('ZSCORE', inFlight, id)) < now - ${RESERVED_MS}
    else
      over = redis.call('EXISTS', tag .. ':result:' .. id) == 1 or redis.call('EXISTS', tag .. ':jobs:' .. id) == 0
    end
    if over then redis.call('ZREM', inFlight, id) end
  end
  if redis.call('ZCARD', inFlight) + wanted > maximum then return 0 end
end
for place = 1, wanted do redis.call('ZADD', inFlight, now, '+' .. reserved .. place) end
redis.call('EXPIRE', inFlight, ARGV[6])
return 1
`

/** Places that {@link Executions.admit} has reserved; settle or release them. */
export interface Reservation {
  /** The executions are enqueued under these ids. */
  settle(ids: readonly string[]): Promise<void>
  /** Nothing was enqueued. */
  release(): Promise<void>
}

/** The executions of each tenant, and the unfinished executions of each key: only those submitted through a gateway. */
export class Executions {
  readonly #ask: DeploymentRedis['ask']
  readonly #tag: string
  readonly #ttlSeconds: number
  readonly #now: DeploymentRedis['now']

  constructor({ keys, resultTtlSeconds, ask, now }: DeploymentRedis) {
    this.#ask = ask
    this.#tag = keys.tag
    this.#ttlSeconds = resultTtlSeconds
    this.#now = now
  }

  /**
   * Reserves places for executions of a key.
   *
   * @returns undefined if the key would have more than `maximum` unfinished executions
   */
  async admit(keyId: string, count: number, maximum: number): Promise<Reservation | undefined> {
    const inFlight = this.#inFlight(keyId)
    const reserved = randomUUID()
    const admitted = await this.#ask((redis) =>
      redis.eval(
        ADMIT,
        ...([1, inFlight, this.#tag, count, maximum, this.#now(), reserved, this.#ttlSeconds] as const),
      ),
    )
    if (admitted !== 1) return undefined
    const places = Array.from({ length: count }, (_, index) => `+${reserved}${index + 1}`)
    return {
      settle: async (ids) => {
        await this.#ask(async (redis) => {
          const transaction = redis.multi()
          // Before the places are removed: an empty key would lose its time to live.
          if (ids.length > 0) transaction.zadd(inFlight, ...ids.flatMap((id) => [this.#now(), id]))
          transaction.zrem(inFlight, ...places)
          throwFirstError(await transaction.exec())
        })
      },
      release: async () => {
        await this.#ask((redis) => redis.zrem(inFlight, ...places))
      },
    }
  }

  /** Records executions of a tenant, also under each of their labels. */
  async record(
    tenant: string,
    submitted: readonly { id: string; labels?: Readonly<Record<string, string>> }[],
  ): Promise<void> {
    const now = this.#now()
    await this.#ask(async (redis) => {
      const pipeline = redis.pipeline()
      const indexes = new Set<string>()
      for (const { id, labels } of submitted) {
        for (const index of [
          this.#index(tenant),
          ...labelled(labels).map((label) => this.#index(tenant, label)),
        ]) {
          pipeline.zadd(index, now, id)
          indexes.add(index)
        }
      }
      for (const index of indexes) {
        // Not limited in number: `belongs` must find an execution for as long as its result is kept.
        pipeline.zremrangebyscore(index, 0, now - this.#ttlSeconds * 1000).expire(index, this.#ttlSeconds)
      }
      throwFirstError(await pipeline.exec())
    })
  }

  /** Whether an execution belongs to a tenant. */
  async belongs(tenant: string, id: string): Promise<boolean> {
    return (await this.#ask((redis) => redis.zscore(this.#index(tenant), id))) !== null
  }

  /** Executions of a tenant, the newest first. */
  async list(
    tenant: string,
    options: { readonly label?: string; readonly cursor?: string; readonly limit: number },
  ): Promise<ExecutionPage> {
    const { label, cursor, limit } = options
    const index = this.#index(tenant, label)
    // New executions come before the cursor, so no page repeats one.
    const rank = cursor === undefined ? 0 : await this.#ask((redis) => redis.zrevrank(index, cursor))
    if (rank === null) return { executions: [], cursor: undefined }
    const first = cursor === undefined ? 0 : rank + 1
    const flat = await this.#ask((redis) => redis.zrevrange(index, first, first + limit, 'WITHSCORES'))
    const found = Array.from({ length: flat.length / 2 }, (_, at) => ({
      id: flat[at * 2] ?? '',
      submittedAt: Number(flat[at * 2 + 1]),
    }))
    const executions = found.slice(0, limit)
    return { executions, cursor: found.length > limit ? executions.at(-1)?.id : undefined }
  }

  #inFlight(keyId: string): string {
    return `${this.#tag}:access:in-flight:${keyId}`
  }

  #index(tenant: string, label?: string): string {
    const rest = label === undefined ? '' : `:${label}`
    return `${this.#tag}:access:executions:${tenant}${rest}`
  }
}

function labelled(labels: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`)
}

function throwFirstError(replies: [error: Error | null, value: unknown][] | null): void {
  const failed = replies?.find(([error]) => error !== null)
  if (failed?.[0]) throw failed[0]
}

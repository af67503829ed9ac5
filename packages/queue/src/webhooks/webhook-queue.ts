import { randomUUID } from 'node:crypto'
import type { Result } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import { waitingDuplicate } from '../redis/connect-redis.ts'
import { type DeploymentRedis, openDeploymentRedis } from '../redis/deployment-redis.ts'
import type { QueueOptions } from '../redis/queue-options.ts'
import { isSafeId } from '../redis/safe-id.ts'
import { wholeResult } from '../results/large-outputs.ts'
import { readResult } from '../results/read-result.ts'
import { CLAIM_WEBHOOK, REVIVE_WEBHOOK, SETTLE_WEBHOOK } from './webhook-lua.ts'

/** A result to be delivered to the callback URL of its job. */
export interface Webhook {
  /** Id of the execution. */
  readonly id: string
  readonly url: string
  readonly tenant: string
  /** Host and port of the URL. Webhooks to one target of a tenant share a limit on concurrent attempts. */
  readonly target: string
  /** When the execution finished, in epoch milliseconds. */
  readonly finishedAt: number
  /** Attempts so far, including a running one. */
  readonly tries: number
  /** Why the last attempt failed. */
  readonly error: string | undefined
}

/** A webhook that one deliverer holds until its lease expires. */
export interface ClaimedWebhook extends Webhook {
  /** Proves the claim. */
  readonly token: string
}

/** Tenants and targets that have reached their maximum of concurrent attempts. */
export interface BusyWebhooks {
  readonly tenants: readonly string[]
  readonly targets: readonly Pick<Webhook, 'tenant' | 'target'>[]
}

/** A webhook in a list. */
export interface ListedWebhook extends Webhook {
  readonly state: 'waiting' | 'dead'
  /** Time of the next attempt, or of the failure of a dead webhook, in epoch milliseconds. */
  readonly at: number
}

/** Ids per Redis command. */
const PAGE = 500

/**
 * The webhooks of a deployment. The script that publishes a result enqueues its webhook; deliverers in any number of
 * processes claim and settle webhooks. If a deliverer dies, its claim expires and the webhook is tried again: at least
 * once, never lost.
 */
export class WebhookQueue {
  readonly #deployment: DeploymentRedis
  #subscriber: Redis | undefined

  constructor(deployment: DeploymentRedis) {
    this.#deployment = deployment
  }

  /** Calls the listener whenever a webhook may have become due. Call this method once. */
  async onArrival(listener: () => void): Promise<void> {
    const { ask, keys } = this.#deployment
    const subscriber = await ask(async (redis) => waitingDuplicate(redis))
    this.#subscriber = subscriber
    subscriber.on('message', listener)
    await subscriber.subscribe(keys.webhookChannel)
  }

  /**
   * Claims the webhook whose turn it is; tenants take turns, and so do their targets.
   *
   * @returns the webhook, or the milliseconds until one is due; undefined if there are none
   */
  async claim(busy: BusyWebhooks, leaseMs: number): Promise<ClaimedWebhook | number | undefined> {
    const { ask, keys } = this.#deployment
    const token = randomUUID()
    const targets = busy.targets.map(({ tenant, target }) => `${tenant} ${target}`)
    const args = [keys.tag, leaseMs, token, busy.tenants.length, ...busy.tenants, ...targets]
    const reply: unknown = await ask((redis) =>
      redis.eval(CLAIM_WEBHOOK, 1, keys.webhooks('tenants'), ...args),
    )
    if (!Array.isArray(reply)) return Number(reply) < 0 ? undefined : Number(reply)
    const [id, flat] = reply as [string, string[]]
    const fields = Object.fromEntries(
      flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : [])),
    )
    return { ...webhookOf(id, fields), token }
  }

  /** Removes a delivered webhook. */
  async delivered(webhook: ClaimedWebhook): Promise<void> {
    await this.#settle(webhook, 'delivered')
  }

  /**
   * @returns `dead` if its result expires before the next attempt; `lost` if the claim has expired and is another
   * deliverer's
   */
  async retry(webhook: ClaimedWebhook, pauseMs: number, error: string): Promise<'retry' | 'dead' | 'lost'> {
    return (await this.#settle(webhook, 'retry', pauseMs, error)) as 'retry' | 'dead' | 'lost'
  }

  /** Marks the webhook as dead; it is kept for the operator, as long as its result. */
  async bury(webhook: ClaimedWebhook, error: string): Promise<void> {
    await this.#settle(webhook, 'dead', 0, error)
  }

  /** Releases the claim; the attempt does not count. */
  async release(webhook: ClaimedWebhook): Promise<void> {
    await this.#settle(webhook, 'release')
  }

  /** Retries a dead webhook from its first attempt. Resolves with false if it is not dead, or its result has expired. */
  async redeliver(id: string): Promise<boolean> {
    if (!isSafeId(id)) return false
    const { ask, keys, resultTtlSeconds } = this.#deployment
    const args = [keys.webhook(id), keys.webhooks('dead'), keys.tag, id, resultTtlSeconds]
    const reply = await ask((redis) => redis.eval(REVIVE_WEBHOOK, 2, ...args))
    return reply === 1
  }

  /** Size of the result of an execution with its outputs, in bytes; 0 if there is none. */
  async resultBytes(id: string): Promise<number> {
    const { ask, keys } = this.#deployment
    const [stored, large] = await ask((redis) =>
      Promise.all([redis.strlen(keys.result(id)), redis.hget(keys.outputs(id), 'length')]),
    )
    return stored + Number(large ?? 0)
  }

  /** The result of an execution; undefined if there is none. */
  async result(id: string): Promise<Result | undefined> {
    const { ask, keys } = this.#deployment
    const result = await ask((redis) => readResult(redis, keys, id))
    return result && (await wholeResult(ask, keys, result))
  }

  /** Number of dead webhooks. */
  async deadCount(): Promise<number> {
    const { ask, keys } = this.#deployment
    return await ask((redis) => redis.zcard(keys.webhooks('dead')))
  }

  /** Dead webhooks, the latest first. */
  async *dead(): AsyncGenerator<ListedWebhook> {
    const { ask, keys } = this.#deployment
    for (let first = 0; ; first += PAGE) {
      const flat = await ask((redis) =>
        redis.zrevrange(keys.webhooks('dead'), first, first + PAGE - 1, 'WITHSCORES'),
      )
      if (flat.length === 0) return
      yield* await this.#listed('dead', flat)
    }
  }

  /** Webhooks that wait for an attempt, tenant by tenant. */
  async *waiting(): AsyncGenerator<ListedWebhook> {
    const { ask, keys } = this.#deployment
    for (const tenant of await ask((redis) => redis.zrange(keys.webhooks('tenants'), '0', '-1'))) {
      for (const target of await ask((redis) => redis.zrange(keys.webhookTargets(tenant), '0', '-1'))) {
        const due = keys.webhooksDue(tenant, target)
        for (let first = 0; ; first += PAGE) {
          const flat = await ask((redis) =>
            redis.zrange(due, String(first), String(first + PAGE - 1), 'WITHSCORES'),
          )
          if (flat.length === 0) break
          yield* await this.#listed('waiting', flat)
        }
      }
    }
  }

  /** Disconnects; a second call has no effect. */
  close(): void {
    this.#subscriber?.disconnect()
    this.#deployment.close()
  }

  async #settle(
    { id, token }: ClaimedWebhook,
    outcome: 'delivered' | 'retry' | 'dead' | 'release',
    pauseMs = 0,
    error = '',
  ): Promise<unknown> {
    const { ask, keys, resultTtlSeconds } = this.#deployment
    const args = [keys.tag, id, token, outcome, Math.round(pauseMs), error, resultTtlSeconds]
    return await ask((redis) => redis.eval(SETTLE_WEBHOOK, 1, keys.webhook(id), ...args))
  }

  /** @param flat alternating ids and times; the list omits expired webhooks */
  async #listed(state: ListedWebhook['state'], flat: readonly string[]): Promise<ListedWebhook[]> {
    const { ask, keys } = this.#deployment
    const entries = Array.from({ length: flat.length / 2 }, (_, at) => ({
      id: flat[at * 2] ?? '',
      at: Number(flat[at * 2 + 1]),
    }))
    const replies = await ask(async (redis) => {
      const pipeline = redis.pipeline()
      for (const { id } of entries) pipeline.hgetall(keys.webhook(id))
      return (await pipeline.exec()) ?? []
    })
    return entries.flatMap(({ id, at }, index) => {
      const fields = (replies[index]?.[1] ?? {}) as Record<string, string>
      return fields['url'] === undefined ? [] : [{ ...webhookOf(id, fields), state, at }]
    })
  }
}

/**
 * Connects to the webhooks of a deployment.
 *
 * @throws {UnavailableError} within 5 s if Redis does not answer
 */
export async function openWebhookQueue(options: QueueOptions): Promise<WebhookQueue> {
  return new WebhookQueue(await openDeploymentRedis(options))
}

function webhookOf(id: string, fields: Readonly<Record<string, string>>): Webhook {
  return {
    id,
    url: fields['url'] ?? '',
    tenant: fields['tenant'] ?? '',
    target: fields['target'] ?? '',
    finishedAt: Number(fields['at']),
    tries: Number(fields['tries']),
    error: fields['error'],
  }
}

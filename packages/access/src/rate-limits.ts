import type { DeploymentRedis } from '@isopod/queue'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

const WINDOW_SECONDS = 60

/** Requests per key and minute, counted in Redis, so that all gateways of a deployment share the counts. */
export class RateLimits {
  readonly #ask: DeploymentRedis['ask']
  readonly #prefix: string
  readonly #limiters = new Map<number, RateLimiterRedis>()

  constructor({ keys, ask }: DeploymentRedis) {
    this.#ask = ask
    this.#prefix = `${keys.tag}:access:rate`
  }

  /** Counts one request. Resolves with 0, or with the seconds to wait if the limit is exceeded. */
  async take(keyId: string, perMinute: number): Promise<number> {
    return await this.#ask(async (redis) => {
      try {
        await this.#limiter(redis, perMinute).consume(keyId)
        return 0
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return Math.max(1, Math.ceil(refused.msBeforeNext / 1000))
        throw refused
      }
    })
  }

  #limiter(storeClient: unknown, points: number): RateLimiterRedis {
    const known = this.#limiters.get(points)
    if (known !== undefined) return known
    const limiter = new RateLimiterRedis({
      storeClient,
      keyPrefix: this.#prefix,
      points,
      duration: WINDOW_SECONDS,
    })
    this.#limiters.set(points, limiter)
    return limiter
  }
}

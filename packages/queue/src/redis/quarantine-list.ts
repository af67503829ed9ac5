import { type DeploymentRedis, openDeploymentRedis } from './deployment-redis.ts'
import { type QuarantineCounts, readQuarantine } from './quarantine.ts'
import type { QueueOptions } from './queue-options.ts'

/** An entry of the quarantine: an id, or the name of a queue's key. */
export interface QuarantineEntry {
  readonly reason: string
  readonly id: string
}

/** The quarantine of a deployment. */
export class Quarantine {
  readonly #deployment: DeploymentRedis

  constructor(deployment: DeploymentRedis) {
    this.#deployment = deployment
  }

  /** Numbers of entries since the deployment exists. */
  counts(): Promise<QuarantineCounts> {
    const { ask, keys } = this.#deployment
    return ask((redis) => readQuarantine(redis, keys))
  }

  /** The last 1000 entries, the latest first. */
  async entries(): Promise<QuarantineEntry[]> {
    const { ask, keys } = this.#deployment
    const lines = await ask((redis) => redis.lrange(keys.quarantine, 0, -1))
    return lines.map((line) => {
      const [reason = '', ...id] = line.split(' ')
      return { reason, id: id.join(' ') }
    })
  }

  /** Disconnects; a second call has no effect. */
  close(): void {
    this.#deployment.close()
  }
}

/**
 * Connects to the quarantine of a deployment.
 *
 * @throws {UnavailableError} within 5 s if Redis does not answer
 */
export async function openQuarantine(options: QueueOptions): Promise<Quarantine> {
  return new Quarantine(await openDeploymentRedis(options))
}

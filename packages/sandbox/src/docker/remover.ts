import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { DriverUnavailableError } from '../driver/faults.ts'
import { type Engine, statusCode } from './engine/engine.ts'

/** Maximum number of concurrent removals. More would delay the start of containers in the engine's queue. */
const MAX_CONCURRENT_REMOVALS = 2
const TRIES = 5
const PAUSE_MS = 200

/** Removes containers in the background, so that no job waits for the removal of another's. */
export class Remover {
  readonly #engine: Engine
  readonly #pending = new Map<string, Promise<void>>()
  readonly #failed = new Set<string>()
  readonly #afterwards = new Map<string, () => void>()
  readonly #onFailure: (container: string, error: unknown) => void
  readonly #turns = pLimit(MAX_CONCURRENT_REMOVALS)

  /** @param onFailure called for a container that could not be removed; {@link Remover.retryFailed} tries it again */
  constructor(engine: Engine, onFailure: (container: string, error: unknown) => void) {
    this.#engine = engine
    this.#onFailure = onFailure
  }

  /** Number of containers that are being removed. */
  get size(): number {
    return this.#pending.size
  }

  /**
   * Kills and removes a container by id or name; one that is not there counts as removed. Never rejects.
   *
   * @param afterwards called once when it is gone, even if that takes a later try
   * @param ending resolves when the container has ended by itself, or will not; must not reject
   */
  remove(container: string, afterwards?: () => void, ending?: Promise<void>): Promise<void> {
    if (afterwards !== undefined) this.#afterwards.set(container, afterwards)
    const known = this.#pending.get(container)
    if (known) return known
    this.#failed.delete(container)
    const removal = this.#removeInTurn(container, ending)
      .then(() => this.#finish(container))
      .catch((error: unknown) => {
        this.#failed.add(container)
        this.#onFailure(container, error)
      })
      .finally(() => this.#pending.delete(container))
    this.#pending.set(container, removal)
    return removal
  }

  /** Tries again to remove what could not be removed, for example because the engine was gone. */
  async retryFailed(): Promise<void> {
    await Promise.all([...this.#failed].map((container) => this.remove(container)))
  }

  /** Resolves when every removal has succeeded or failed. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending.values())
  }

  #finish(container: string): void {
    const afterwards = this.#afterwards.get(container)
    this.#afterwards.delete(container)
    afterwards?.()
  }

  async #removeInTurn(container: string, ending: Promise<void> | undefined): Promise<void> {
    await ending
    await this.#turns(async () => {
      for (let left = TRIES; ; left--) {
        try {
          return await removeContainer(this.#engine, container)
        } catch (error) {
          if (left <= 1 || error instanceof DriverUnavailableError) throw error
          await sleep(PAUSE_MS)
        }
      }
    })
  }
}

/** Kills and removes a container with its anonymous volumes. 404 and "removal already in progress" count as removed. */
export async function removeContainer(engine: Engine, container: string): Promise<void> {
  await engine.call('remove', async (docker, abortSignal) => {
    try {
      await docker.getContainer(container).remove({ force: true, v: true, abortSignal })
    } catch (error) {
      const status = statusCode(error)
      // Any other conflict is no removal, such as that with somebody who starts the container again.
      const isUnderway = status === 409 && String(error).includes('already in progress')
      if (status !== 404 && !isUnderway) throw error
    }
  })
}

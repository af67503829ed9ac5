import { DriverUnavailableError } from '../driver/faults.ts'
import { type Engine, statusCode } from './engine/engine.ts'

/** Removals under way at once: more would only queue in the engine, in front of containers that are to start. */
const CONCURRENT_REMOVALS = 2
const TRIES = 5
const PAUSE_MS = 200

/** Removes containers in the background, so that no job waits for the removal of another's. */
export class Remover {
  readonly #engine: Engine
  readonly #pending = new Map<string, Promise<void>>()
  readonly #failed = new Set<string>()
  readonly #afterwards = new Map<string, () => void>()
  readonly #onFailure: (container: string, error: unknown) => void
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** @param onFailure told about a container that could not be removed; it is kept for {@link Remover.retryFailed} */
  constructor(engine: Engine, onFailure: (container: string, error: unknown) => void) {
    this.#engine = engine
    this.#onFailure = onFailure
  }

  /** Containers that are on their way out. */
  get size(): number {
    return this.#pending.size
  }

  /**
   * Kills and removes a container by id or name; one that is not there counts as removed. Never rejects.
   *
   * @param afterwards called once when it is gone, even if that takes a later try
   * @param ending what it does to end by itself: waited for before its turn, so it has to be bounded and must not reject
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

  /** Tries again what could not be removed, for example because the engine was gone. */
  async retryFailed(): Promise<void> {
    await Promise.all([...this.#failed].map((container) => this.remove(container)))
  }

  /** Resolves when everything that was handed over is removed or given up. */
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
    await this.#turn()
    try {
      for (let left = TRIES; ; left--) {
        try {
          await removeContainer(this.#engine, container)
          return
        } catch (error) {
          if (left <= 1 || error instanceof DriverUnavailableError) throw error
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
        }
      }
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  async #turn(): Promise<void> {
    while (this.#running >= CONCURRENT_REMOVALS) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#running++
  }
}

/** Kills and removes a container with its anonymous volumes. 404 and «removal already in progress» count as removed. */
export async function removeContainer(engine: Engine, container: string): Promise<void> {
  await engine.call('remove', async (docker, abortSignal) => {
    try {
      await docker.getContainer(container).remove({ force: true, v: true, abortSignal })
    } catch (error) {
      const status = statusCode(error)
      if (status !== 404 && status !== 409) throw error
    }
  })
}

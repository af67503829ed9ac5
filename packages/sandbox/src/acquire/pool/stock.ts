import type { NewContainer } from '../../driver/container.ts'
import type { PoolKind } from './pool-key.ts'

/** One container that waits, or was just taken. */
export interface Waiting {
  readonly container: NewContainer
  readonly pooled: PoolKind
  /** Epoch milliseconds since which it waits. */
  readonly since: number
  /** Epoch milliseconds until which its job may use it. */
  readonly deadline: number
}

/** The containers that wait, oldest first. */
export class Stock {
  #waiting: Waiting[] = []

  get all(): readonly Waiting[] {
    return this.#waiting
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting)
  }

  /** Takes the oldest with exactly these limits, else the oldest with this pool key. */
  take(wanted: PoolKind, fits: (waiting: Waiting) => boolean): Waiting | undefined {
    const candidates = this.#waiting.filter((each) => each.pooled.poolKey === wanted.poolKey && fits(each))
    const found = candidates.find(({ pooled }) => pooled.key === wanted.key) ?? candidates[0]
    if (found) this.#waiting = this.#waiting.filter((each) => each !== found)
    return found
  }

  /** Removes and returns all for which the predicate is true. */
  remove(predicate: (waiting: Waiting) => boolean): Waiting[] {
    const removed = this.#waiting.filter(predicate)
    if (removed.length > 0) this.#waiting = this.#waiting.filter((each) => !removed.includes(each))
    return removed
  }
}

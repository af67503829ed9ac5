import { randomInt } from 'node:crypto'

/** Whom a program runs as. */
export interface User {
  readonly uid: number
  readonly gid: number
}

/** User ids that containers may have; one id when `first` and `last` are the same. */
export interface UserRange {
  readonly first: number
  readonly last: number
  readonly gid: number
}

/**
 * Gives each container a user id that no other container of this worker has. The kernel counts inotify instances, pending
 * signals, pipe pages and descriptors in flight per user: with one id for all, a job could use up its neighbour's.
 */
export class Users {
  readonly #range: UserRange
  readonly #taken = new Set<number>()

  constructor(range: UserRange) {
    this.#range = range
  }

  /** A user for one container. When all ids are out, one is shared: worse than its own, better than no container. */
  take(): User {
    const { first, last, gid } = this.#range
    const count = last - first + 1
    // Anywhere in the range, so that workers which share a host seldom choose the same.
    const start = randomInt(count)
    const ids = Array.from({ length: count }, (_, step) => first + ((start + step) % count))
    const uid = ids.find((id) => !this.#taken.has(id)) ?? first + start
    this.#taken.add(uid)
    return { uid, gid }
  }

  /** To be called once the container is gone. */
  giveBack({ uid }: User): void {
    this.#taken.delete(uid)
  }
}

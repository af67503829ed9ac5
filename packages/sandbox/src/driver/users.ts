import { randomInt } from 'node:crypto'

/** User that a program runs as. */
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

/** The halves of a range of at least two ids, so that no container of one driver has the user of another driver's. */
export function halvesOf({ first, last, gid }: UserRange): readonly [UserRange, UserRange] {
  if (first === last) throw new RangeError('one user id cannot be divided')
  const middle = Math.floor((first + last) / 2)
  return [
    { first, last: middle, gid },
    { first: middle + 1, last, gid },
  ]
}

/**
 * Gives each container a user id that no other container of this worker has, while there are enough of them. The
 * kernel counts inotify instances, pending signals, pipe pages and descriptors in flight per user: with one id for all, a
 * job could use up its neighbour's.
 */
export class Users {
  readonly #range: UserRange
  /** Number of containers per id; unused ids are absent. */
  readonly #holders = new Map<number, number>()

  constructor(range: UserRange) {
    this.#range = range
  }

  /** Takes a user for one container: an id that the fewest containers have. */
  take(): User {
    const { first, last, gid } = this.#range
    const count = last - first + 1
    // A random start, so that workers on one host rarely choose the same id.
    const start = randomInt(count)
    let uid = first + start
    for (let step = 0; step < count && this.#count(uid) > 0; step++) {
      const other = first + ((start + step) % count)
      if (this.#count(other) < this.#count(uid)) uid = other
    }
    this.#holders.set(uid, this.#count(uid) + 1)
    return { uid, gid }
  }

  /** Returns a user whose container is gone. */
  release({ uid }: User): void {
    const left = this.#count(uid) - 1
    if (left > 0) this.#holders.set(uid, left)
    else this.#holders.delete(uid)
  }

  #count(uid: number): number {
    return this.#holders.get(uid) ?? 0
  }
}

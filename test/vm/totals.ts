import type { TestEvent } from './protocol.ts'

/** Counts tests, of one leg or of all. */
export class Totals {
  readonly #count = { passed: 0, failed: 0, skipped: 0 }

  add({ state }: Pick<TestEvent, 'state'>): void {
    this.#count[state] += 1
  }

  get failed(): number {
    return this.#count.failed
  }

  /** `N passed, N failed, N skipped`, like the last line of `npm test`. */
  toString(): string {
    const { passed, failed, skipped } = this.#count
    return `${passed} passed, ${failed} failed, ${skipped} skipped`
  }
}

const WINDOW_MS = 60_000
/** Kinds of lines that are counted at once; when there are more, counting begins anew. */
const MAX_KINDS = 1000

interface Counted {
  readonly since: number
  written: number
  suppressed: number
}

/** How many lines of one kind are written in a minute. */
export interface RepeatedLinesOptions {
  readonly perMinute: number
  /** Milliseconds. @default performance.now */
  readonly now?: () => number
}

/** Keeps a fault that comes back thousands of times from filling a log. */
export class RepeatedLines {
  readonly #options: RepeatedLinesOptions
  readonly #kinds = new Map<string, Counted>()

  constructor(options: RepeatedLinesOptions) {
    this.#options = options
  }

  /**
   * Whether one more line of a kind is written.
   *
   * @returns undefined if not, else how many were left out since the last one that was
   */
  admit(kind: string): number | undefined {
    const { perMinute, now = () => performance.now() } = this.#options
    const at = now()
    const counted = this.#kinds.get(kind)
    if (counted !== undefined && at - counted.since < WINDOW_MS) {
      if (counted.written < perMinute) {
        counted.written += 1
        return 0
      }
      counted.suppressed += 1
      return undefined
    }
    if (this.#kinds.size >= MAX_KINDS) this.#kinds.clear()
    this.#kinds.set(kind, { since: at, written: 1, suppressed: 0 })
    return counted?.suppressed ?? 0
  }
}

const WINDOW_MS = 60_000
/** Maximum number of counted kinds of lines; beyond it counting restarts. */
const MAX_KINDS = 1000

interface Counted {
  readonly since: number
  written: number
  suppressed: number
}

/** Options of {@link RepeatedLines}. */
export interface RepeatedLinesOptions {
  readonly perMinute: number
  /** Milliseconds. @default performance.now */
  readonly now?: () => number
}

/** Limits the rate of equal lines, so that a repeated fault does not fill the log. */
export class RepeatedLines {
  readonly #options: RepeatedLinesOptions
  readonly #kinds = new Map<string, Counted>()

  constructor(options: RepeatedLinesOptions) {
    this.#options = options
  }

  /**
   * Counts one line of a kind.
   *
   * @returns undefined if it is omitted, else the number of omitted lines since the last written one
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

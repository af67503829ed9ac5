/** Frames that have arrived and are unread, for one reader. */
export class FrameQueue<T> {
  readonly #frames: T[] = []
  #ended = false
  /** Set while the reader waits. */
  #wake: (() => void) | undefined

  /** Number of unread frames. */
  get length(): number {
    return this.#frames.length
  }

  /** Whether no more frames will come. */
  get ended(): boolean {
    return this.#ended
  }

  push(frame: T): void {
    if (this.#ended) return
    this.#frames.push(frame)
    this.#wake?.()
  }

  /** Marks the end; unread frames can still be read. */
  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  /** The next frame, or undefined after the last one. @throws {Error} if another reader waits: one of the two would wait forever */
  async shift(): Promise<T | undefined> {
    if (this.#wake !== undefined) throw new Error('the frames of a container have one reader')
    while (this.#frames.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#wake = undefined
    return this.#frames.shift()
  }
}

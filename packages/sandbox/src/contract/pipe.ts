/** Maximum number of bytes through a pipe in one direction: the size of init's buffer for a program that does not read. */
export const MAX_PIPED_BYTES = 2 * 1024 * 1024

/** Maximum number of bytes that an execution prints into its channel. */
export const MAX_CHANNEL_BYTES = 64 * 1024 * 1024

/** Receives the bytes of a pipe, for a program. */
export interface Sink {
  write(bytes: Uint8Array): void
  end(): void
  /** Kills the program. */
  kill(): void
}

/** One end of a pipe between two programs: each reads what the other prints. */
export interface PipeEnd {
  /** Whether this end's program ended before the other's. */
  readonly wasFirst: boolean
  /** Whether this end's program gets messages one at a time, as `ExecRequest.paced` says. */
  readonly isPaced: boolean
  /**
   * Resolves once both ends have called it, so that no program waits for the other's compiler on its own time. Rejects when
   * `signal` aborts.
   */
  meet(signal: AbortSignal): Promise<void>
  /** Writes output of this end's program to the other end. */
  write(bytes: Uint8Array): void
  /** Ends both directions: this end's program has ended. */
  end(): void
  /** Passes all output of the other end's program to `sink`, from its beginning. */
  open(sink: Sink): void
}

/** Unread bytes for one end, bounded by the writing program's output limit. */
class Inbox {
  readonly arrived = Promise.withResolvers<void>()
  endedAt = Number.POSITIVE_INFINITY
  #sink: Sink | undefined
  #waiting: Uint8Array[] = []
  #closed = false

  take(bytes: Uint8Array): void {
    if (this.endedAt !== Number.POSITIVE_INFINITY) return
    if (this.#sink !== undefined) this.#sink.write(bytes)
    else this.#waiting.push(bytes)
  }

  close(): void {
    this.#closed = true
    this.#sink?.end()
  }

  open(sink: Sink): void {
    this.#sink = sink
    for (const bytes of this.#waiting.splice(0)) sink.write(bytes)
    if (this.#closed) sink.end()
  }

  end(): void {
    this.endedAt = Math.min(this.endedAt, performance.now())
    this.#sink = undefined
    this.#waiting = []
  }
}

/** Both ends of a new pipe. */
export function openPipe(): [PipeEnd, PipeEnd] {
  const [one, other] = [new Inbox(), new Inbox()]
  return [endOf(one, other), endOf(other, one)]
}

function endOf(own: Inbox, other: Inbox): PipeEnd {
  return {
    get wasFirst() {
      return own.endedAt < other.endedAt
    },
    isPaced: false,
    meet: async (signal) => {
      own.arrived.resolve()
      const gone = Promise.withResolvers<never>()
      const abort = () => gone.reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      try {
        signal.throwIfAborted()
        await Promise.race([other.arrived.promise, gone.promise])
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
    write: (bytes) => other.take(bytes),
    end: () => {
      own.end()
      other.close()
    },
    open: (sink) => own.open(sink),
  }
}

import { JobDeferred, JobInterrupted } from '@isopod/queue'
import { ImageFaultError } from '@isopod/sandbox'

/** Faults in a row after which the breaker opens. */
const MAX_FAULTS = 3
const OPEN_MS = 5_000

/** Settings of {@link CircuitBreaker}. */
export interface CircuitBreakerOptions {
  readonly onOpen: () => void
  readonly onClose: () => void
  /** How long it stays open, in milliseconds. @default 5000 */
  readonly openMs?: number
}

/**
 * Stops a worker whose host is broken from taking jobs. Such a worker fails jobs faster than healthy workers run them, so most
 * retries would come back to it until they are used up. After three faults in a row the breaker opens for a while.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions
  #faults = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: CircuitBreakerOptions) {
    this.#options = options
  }

  /** Whether the worker should take no jobs. */
  get open(): boolean {
    return this.#timer !== undefined
  }

  /** An execution ended, whatever its program did, so the host works. */
  succeeded(): void {
    this.#faults = 0
  }

  /** The platform failed an execution. */
  failed(): void {
    this.#faults += 1
    if (this.#faults < MAX_FAULTS || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // Until an execution succeeds, one more fault opens it again.
      this.#faults = MAX_FAULTS - 1
      this.#options.onClose()
    }, this.#options.openMs ?? OPEN_MS)
    this.#options.onOpen()
  }

  /** Cancels the timer. */
  stop(): void {
    clearTimeout(this.#timer)
  }
}

/** Whether an error counts against the host: not a language's broken image, or a requeued or deferred job. */
export function isHostFault(error: unknown): boolean {
  return ![ImageFaultError, JobInterrupted, JobDeferred].some((kind) => error instanceof kind)
}

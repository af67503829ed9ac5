import { CheckerFaultError } from '@isopod/judging'
import { JobInterrupted } from '@isopod/queue'
import { ImageFaultError } from '@isopod/sandbox'

/** Faults in a row, no execution having ended well in between, after which a worker takes a rest. */
const FAULTS = 3
const REST_MS = 5_000

/** What a rest does. */
export interface FaultBreakerOptions {
  readonly rest: () => void
  readonly goOn: () => void
  /** Shorter, for tests. */
  readonly restMs?: number
}

/**
 * Keeps a worker whose host is ill from drawing job after job to itself: it fails them faster than its healthy neighbours
 * run them, so that most retries would come back to it until they are used up. After three faults in a row it rests.
 */
export class FaultBreaker {
  readonly #options: FaultBreakerOptions
  #faults = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: FaultBreakerOptions) {
    this.#options = options
  }

  /** Whether the worker rests. */
  get resting(): boolean {
    return this.#timer !== undefined
  }

  /** An execution ended, whatever the program did: the host is well. */
  passed(): void {
    this.#faults = 0
  }

  /** The platform failed an execution. */
  failed(): void {
    this.#faults += 1
    if (this.#faults < FAULTS || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // One more fault is enough for the next rest, until something passes.
      this.#faults = FAULTS - 1
      this.#options.goOn()
    }, this.#options.restMs ?? REST_MS)
    this.#options.rest()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

/** One language's image says nothing about the others, no job's own checker about its host, and a job that is handed back nothing. */
export function saysOfHost(error: unknown): boolean {
  return ![ImageFaultError, CheckerFaultError, JobInterrupted].some((kind) => error instanceof kind)
}

import type { Admission } from './admission.ts'
import { TimeAllowance } from './time-allowance.ts'
import { watchForYield } from './yield-watch.ts'

/** Exclusive runs may hold up the others for their share of each hour. */
const WINDOW_MS = 3_600_000
/** One tenant's part of that share. */
const SHARE_OF_A_TENANT = 0.25

/** How a request for an exclusive run ended. `given_up`: the time for it ran out. */
export type ExclusiveOutcome = 'made' | 'denied' | 'yielded' | 'given_up'

type Refusal = Exclude<ExclusiveOutcome, 'made'>

/** Dependencies and bounds of {@link ExclusiveRuns}. */
export interface ExclusiveRunsOptions {
  readonly admission: Pick<Admission, 'enterExclusively' | 'waiting'>
  /** How long a job may wait for its exclusive run; 0: there are none. */
  readonly maxWaitMs: number
  /** Share of the worker's time for which they may hold up other executions, 0 to 1. */
  readonly share: number
  /** Called at the end of each request, with the time for which it held up the others. */
  readonly onOutcome: (outcome: ExclusiveOutcome, heldMs: number) => void
  /** Monotonic clock in milliseconds. @default performance.now */
  readonly now?: () => number
}

/** A request for exclusive runs. */
export interface ExclusiveRequest {
  readonly tenant: string
  /** Timeout of each run, in order. */
  readonly timeoutsMs: readonly number[]
  /** Time on top of the timeouts: starting containers, compiling. */
  readonly extraMs: number
}

/** The result of the work, or why there is none. */
export type ExclusiveAnswer<T> =
  | { readonly outcome: 'made'; readonly ran: T }
  | { readonly outcome: Refusal; readonly ran?: undefined }

/**
 * Runs that have the worker to themselves. They are bounded by their own timeouts, by a share of the worker's time, by each
 * tenant's part of that share, and by how long jobs of other tenants wait.
 */
export class ExclusiveRuns {
  readonly #options: ExclusiveRunsOptions
  readonly #now: () => number
  readonly #all: TimeAllowance
  readonly #ofTenants = new Map<string, TimeAllowance>()

  constructor(options: ExclusiveRunsOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#all = this.#allowance(options.share)
  }

  /** Whether the settings allow any. */
  get enabled(): boolean {
    return this.#options.maxWaitMs > 0 && this.#options.share > 0
  }

  /**
   * Waits until nothing else runs, then calls `work` with the number of requested runs that the allowance suffices for. The
   * caller must hold no share of the host.
   *
   * @throws what `work` rejects with, and the reason of `signal`
   */
  async run<T>(
    request: ExclusiveRequest,
    signal: AbortSignal,
    work: (count: number, signal: AbortSignal) => Promise<T>,
  ): Promise<ExclusiveAnswer<T>> {
    const { admission, maxWaitMs, onOutcome } = this.#options
    const { tenant, timeoutsMs, extraMs } = request
    const over = new AbortController()
    const until = AbortSignal.any([signal, over.signal])
    let ended: Refusal | undefined
    const end = (outcome: Refusal) => {
      ended ??= outcome
      over.abort(new Error(`the exclusive run was ${outcome}`))
    }
    const timer = setTimeout(() => end('given_up'), maxWaitMs)
    const timers = [timer]
    const endAfter = (ms: number) => timers.push(setTimeout(() => end('given_up'), ms))
    let heldSince: number | undefined
    const heldMs = () => (heldSince === undefined ? 0 : this.#now() - heldSince)
    let stopWatch: (() => void) | undefined
    const hold = () => {
      if (heldSince !== undefined) return
      heldSince = this.#now()
      endAfter(this.#availableMs(tenant))
      const onYield = () => end('yielded')
      stopWatch = watchForYield({ tenant, waiting: () => admission.waiting, now: this.#now, onYield })
    }
    let leave: (() => void) | undefined
    let outcome: ExclusiveOutcome | undefined
    try {
      // The wait would be useless if the allowance does not suffice for one run.
      if (!this.enabled || this.#affordable(request, 0) === 0) end('denied')
      leave = await admission.enterExclusively(hold, until)
      clearTimeout(timer)
      hold()
      const count = this.#affordable(request, heldMs())
      if (count === 0) end('denied')
      until.throwIfAborted()
      endAfter(timeoutsMs.slice(0, count).reduce((sum, ms) => sum + ms, extraMs))
      const ran = await work(count, until)
      outcome = 'made'
      return { outcome, ran }
    } catch (error) {
      if (signal.aborted || ended === undefined) throw error
      outcome = ended
      return { outcome }
    } finally {
      const ms = heldMs()
      stopWatch?.()
      for (const timer of timers) clearTimeout(timer)
      this.#spend(tenant, ms)
      leave?.()
      if (outcome !== undefined) onOutcome(outcome, ms)
    }
  }

  /** How many of a request's first runs the allowance suffices for if each uses its whole timeout. */
  #affordable({ tenant, timeoutsMs }: ExclusiveRequest, usedMs: number): number {
    let left = this.#availableMs(tenant) - usedMs
    const tooMuch = timeoutsMs.findIndex((ms) => {
      left -= ms
      return left < 0
    })
    return tooMuch === -1 ? timeoutsMs.length : tooMuch
  }

  #availableMs(tenant: string): number {
    const { share } = this.#options
    const own = this.#ofTenants.get(tenant)?.availableMs ?? share * SHARE_OF_A_TENANT * WINDOW_MS
    return Math.min(this.#all.availableMs, own)
  }

  #spend(tenant: string, ms: number): void {
    if (ms === 0) return
    this.#all.spend(ms)
    const own = this.#ofTenants.get(tenant) ?? this.#allowance(this.#options.share * SHARE_OF_A_TENANT)
    own.spend(ms)
    this.#ofTenants.set(tenant, own)
    for (const [name, { spentMs }] of this.#ofTenants) {
      if (spentMs === 0) this.#ofTenants.delete(name)
    }
  }

  #allowance(share: number): TimeAllowance {
    return new TimeAllowance({ share, windowMs: WINDOW_MS, now: this.#now })
  }
}

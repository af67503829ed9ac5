import { randomBytes } from 'node:crypto'
import type { ContainerKind } from '../../driver/container-kind.ts'
import type { ContainerMaker } from '../container-maker.ts'
import { Backoff } from './backoff.ts'
import { Demand } from './demand.ts'
import { Plan, type PoolPolicy } from './plan.ts'
import type { PoolKind } from './pool-key.ts'
import { Stock, type Waiting } from './stock.ts'

/**
 * Pause after a container was taken, in milliseconds, so that a refill does not slow down the program's start. Not for an
 * empty pool key.
 */
const QUIET_MS = 40
/** How often the pool removes containers that are dead, too old or no longer wanted, in milliseconds. */
const UPKEEP_MS = 1_000
/** Number of containers being made at which no refill begins, because a host makes more of them no faster. */
const MAX_CONCURRENT = 3
/** Maximum use of a pooled container, in milliseconds; a job that may take longer gets a new one. */
const MAX_USE_MS = 3_600_000

/** Options of {@link ContainerPool}. */
export interface ContainerPoolOptions {
  readonly maker: Pick<ContainerMaker, 'make'>
  readonly policy: PoolPolicy
  readonly onRefillFailed?: (kind: ContainerKind, error: unknown) => void
}

/** A container that is being made ahead, and the job that claims it. */
interface Making {
  readonly pooled: PoolKind
  readonly done: Promise<void>
  claim: ((waiting: Waiting | undefined) => void) | undefined
}

/**
 * Started containers that wait for a job. The pool learns from requests which kinds to make, so it starts empty. Each
 * container is given out once and never returns.
 */
export class ContainerPool {
  readonly #options: ContainerPoolOptions
  readonly #demand: Demand
  readonly #stock = new Stock()
  readonly #making = new Set<Making>()
  readonly #backoff = new Backoff()
  readonly #closing = new AbortController()
  readonly #upkeep: NodeJS.Timeout
  /** Random: a client that chooses job ids cannot collide with it. */
  readonly #prefix = `isopod-pool-${randomBytes(8).toString('hex')}`
  #made = 0
  #externalCreates = 0
  #lastTaken = Number.NEGATIVE_INFINITY
  #quiet: NodeJS.Timeout | undefined
  #closed: Promise<void> | undefined

  constructor(options: ContainerPoolOptions) {
    this.#options = options
    this.#demand = new Demand(options.policy.idleMs)
    this.#upkeep = setInterval(() => this.#refill(), UPKEEP_MS).unref()
  }

  /** The kinds of the containers that wait, one entry each. */
  get waiting(): readonly ContainerKind[] {
    return this.#stock.all.map(({ pooled }) => pooled.kind)
  }

  /**
   * Takes a container with this pool key: one that waits, else one that is being made. Undefined if there is none. The caller
   * destroys it.
   *
   * @param until epoch milliseconds until which it may be needed
   * @throws the signal's reason if it is aborted while a container is being made
   */
  async take(
    wanted: PoolKind,
    until: number,
    signal: AbortSignal,
  ): Promise<{ readonly waiting: Waiting; readonly waited: boolean } | undefined> {
    if (this.#closing.signal.aborted || until > Date.now() + MAX_USE_MS) return undefined
    this.#drop(({ container }) => !container.isIdle)
    this.#lastTaken = Date.now()
    const ready = this.#stock.take(wanted, ({ deadline }) => deadline >= until)
    if (ready) return { waiting: ready, waited: true }
    const promised = await this.#claimed(wanted, signal)
    return promised && { waiting: promised, waited: false }
  }

  /** Counts a container that is made for a job, so that the pool makes fewer at the same time. */
  async trackExternalCreate<T>(make: () => Promise<T>): Promise<T> {
    this.#externalCreates++
    try {
      return await make()
    } finally {
      this.#externalCreates--
    }
  }

  /** Records that a job got a container of this kind, from the pool or made for it: the next job may come soon. */
  asked(pooled: PoolKind): void {
    this.#demand.note(pooled, Date.now())
    this.#backoff.succeeded(pooled.poolKey)
    this.#refill()
  }

  /** Destroys all containers that wait or are being made, and makes no more. Idempotent; resolves when none is being made. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#closing.abort(new Error('the pool is closing'))
    clearInterval(this.#upkeep)
    clearTimeout(this.#quiet)
    this.#drop(() => true)
    await Promise.all([...this.#making].map(({ done }) => done))
  }

  /** Claims a container that is being made: it is ready before any that would begin now. */
  #claimed(wanted: PoolKind, signal: AbortSignal): Promise<Waiting | undefined> | undefined {
    const making = [...this.#making].find(
      ({ pooled, claim }) => pooled.poolKey === wanted.poolKey && claim === undefined,
    )
    if (making === undefined) return undefined
    return new Promise((resolve, reject) => {
      const give = (found: Waiting | undefined) => {
        signal.removeEventListener('abort', giveUp)
        resolve(found)
      }
      const giveUp = () => {
        making.claim = undefined
        reject(signal.reason)
      }
      making.claim = give
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  #refill(): void {
    if (this.#closing.signal.aborted) return
    const { policy } = this.#options
    const now = Date.now()
    this.#drop(({ container, since }) => !container.isIdle || now - since >= policy.idleMs)
    const plan = new Plan(this.#demand.poolKeys(now), policy, (poolKey) => this.#count(poolKey))
    this.#backoff.keep(plan.poolKeys)
    while (this.#making.size < policy.refills && this.#making.size + this.#externalCreates < MAX_CONCURRENT) {
      const next = plan.missing((poolKey) => this.#backoff.isPaused(poolKey, now))
      if (next === undefined) return
      const rest = this.#lastTaken + QUIET_MS - now
      if (rest > 0 && this.#count(next.poolKey) > 0) {
        clearTimeout(this.#quiet)
        this.#quiet = setTimeout(() => this.#refill(), rest).unref()
        return
      }
      if (!this.#makeRoom(plan, next)) return
      this.#begin(next)
    }
  }

  /** Destroys surplus containers until one more fits; false if none is surplus. */
  #makeRoom(plan: Plan, next: PoolKind): boolean {
    const all = () => [...this.#stock.all, ...this.#making].map(({ pooled }) => pooled)
    while (!plan.hasRoom(all(), next)) {
      const surplus = this.#stock.all.find(({ pooled: { poolKey } }) => plan.isSurplus(poolKey))
      if (surplus === undefined) return false
      this.#drop((each) => each === surplus)
    }
    return true
  }

  /** Containers with a pool key that wait, or are being made and unclaimed. */
  #count(poolKey: string): number {
    const waiting = this.#stock.all.filter(({ pooled }) => pooled.poolKey === poolKey)
    const coming = [...this.#making].filter(({ pooled, claim }) => pooled.poolKey === poolKey && !claim)
    return waiting.length + coming.length
  }

  #begin(pooled: PoolKind): void {
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const making: Making = { pooled, done, claim: undefined }
    this.#making.add(making)
    void this.#make(making).then((waiting) => {
      this.#making.delete(making)
      // The job that claimed it takes it, or was aborted meanwhile.
      if (making.claim) making.claim(waiting)
      else if (waiting && this.#closing.signal.aborted) waiting.container.destroy()
      else if (waiting) this.#stock.add(waiting)
      resolve()
      this.#refill()
    })
  }

  /** Never rejects; undefined if the container could not be made. */
  async #make({ pooled }: Making): Promise<Waiting | undefined> {
    const { maker, policy, onRefillFailed } = this.#options
    const { kind, poolKey } = pooled
    const name = `${this.#prefix}-${++this.#made}`
    const deadline = Date.now() + policy.idleMs + MAX_USE_MS
    const purpose = { name, origin: 'pool', job: '', attempt: 0, deadline } as const
    try {
      const container = await maker.make(kind, purpose, this.#closing.signal)
      this.#backoff.succeeded(poolKey)
      return { container, pooled, since: Date.now(), deadline }
    } catch (error) {
      if (this.#closing.signal.aborted) return undefined
      this.#backoff.failed(poolKey, Date.now())
      onRefillFailed?.(kind, error)
      return undefined
    }
  }

  #drop(goes: (waiting: Waiting) => boolean): void {
    for (const { container } of this.#stock.remove(goes)) container.destroy()
  }
}

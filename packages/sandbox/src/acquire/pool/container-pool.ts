import { randomBytes } from 'node:crypto'
import type { ContainerKind } from '../../driver/container-kind.ts'
import type { ContainerMaker } from '../container-maker.ts'
import { Backoff } from './backoff.ts'
import { Demand } from './demand.ts'
import { Plan, type PoolPolicy } from './plan.ts'
import type { PoolKind } from './pool-key.ts'
import { Stock, type Waiting } from './stock.ts'

/** As long after a container was taken, none is made for a poolKey that still has some, in milliseconds: a program may be starting. */
const QUIET_MS = 40
/** How often waiting containers are looked at: dead, too old, not wanted any more. */
const UPKEEP_MS = 1_000
/** Containers made at once, those of jobs that wait for one included, at which no refill is begun: more are not made sooner. */
const MAX_CONCURRENT = 3
/** What a job may need its container for at most, in milliseconds; one that may need it longer gets one of its own. */
const MAX_USE_MS = 3_600_000

/** What a pool is made with. */
export interface ContainerPoolOptions {
  readonly maker: Pick<ContainerMaker, 'make'>
  readonly policy: PoolPolicy
  readonly onRefillFailed?: (kind: ContainerKind, error: unknown) => void
}

/** A container that is being made ahead, and who waits for it already. */
interface Making {
  readonly pooled: PoolKind
  readonly done: Promise<void>
  claim: ((waiting: Waiting | undefined) => void) | undefined
}

/**
 * Containers that are started and wait for a job. Which ones is learned from what is asked for: right after the start there
 * are none. Each is given once and never comes back.
 */
export class ContainerPool {
  readonly #options: ContainerPoolOptions
  readonly #demand: Demand
  readonly #stock = new Stock()
  readonly #making = new Set<Making>()
  readonly #backoff = new Backoff()
  readonly #closing = new AbortController()
  readonly #upkeep: NodeJS.Timeout
  /** No name of a job: those are asked for by clients, and this is known to nobody. */
  readonly #prefix = `isopod-pool-${randomBytes(8).toString('hex')}`
  #made = 0
  #trackExternalCreate = 0
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
   * Gives a container of this poolKey, or undefined if there is none: one that waits, else one that is about to. It is the
   * taker's to destroy.
   *
   * @param until epoch milliseconds until when it may be needed
   * @throws the signal's reason if it is aborted before one is there
   */
  async take(
    wanted: PoolKind,
    until: number,
    signal: AbortSignal,
  ): Promise<{ readonly waiting: Waiting; readonly waited: boolean } | undefined> {
    if (this.#closing.signal.aborted || until > Date.now() + MAX_USE_MS) return undefined
    this.#drop(({ container }) => !container.waits)
    this.#lastTaken = Date.now()
    const ready = this.#stock.take(wanted, ({ deadline }) => deadline >= until)
    if (ready) return { waiting: ready, waited: true }
    const promised = await this.#claimed(wanted, signal)
    return promised && { waiting: promised, waited: false }
  }

  /** Has the pool know of a container that is made on the spot, so that it makes none at the same time. */
  async trackExternalCreate<T>(make: () => Promise<T>): Promise<T> {
    this.#trackExternalCreate++
    try {
      return await make()
    } finally {
      this.#trackExternalCreate--
    }
  }

  /** A job got a container of this kind, from here or made on the spot: the next one may come soon. */
  asked(pooled: PoolKind): void {
    this.#demand.note(pooled, Date.now())
    this.#backoff.passed(pooled.poolKey)
    this.#refill()
  }

  /** Makes no more, and destroys all that wait or are being made. Idempotent; resolves when none can come any more. */
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

  /** Waits for one that is being made and that nobody waits for yet: it comes before any that would be begun now. */
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
    this.#drop(({ container, since }) => !container.waits || now - since >= policy.idleMs)
    const plan = new Plan(this.#demand.poolKeys(now), policy, (poolKey) => this.#count(poolKey))
    this.#backoff.keep(plan.poolKeys)
    while (
      this.#making.size < policy.refills &&
      this.#making.size + this.#trackExternalCreate < MAX_CONCURRENT
    ) {
      const next = plan.missing((poolKey) => this.#backoff.rests(poolKey, now))
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

  /** Removes what is not wanted any more until one more may be made; false if nothing can go. */
  #makeRoom(plan: Plan, next: PoolKind): boolean {
    const all = () => [...this.#stock.all, ...this.#making].map(({ pooled }) => pooled)
    while (!plan.hasRoom(all(), next)) {
      const surplus = this.#stock.all.find(({ pooled: { poolKey } }) => plan.isSurplus(poolKey))
      if (surplus === undefined) return false
      this.#drop((each) => each === surplus)
    }
    return true
  }

  /** Containers of a poolKey that wait, or are being made and nobody waits for. */
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
      // Whoever waits for it decides, or will wait no more.
      if (making.claim) making.claim(waiting)
      else if (waiting && this.#closing.signal.aborted) waiting.container.destroy()
      else if (waiting) this.#stock.add(waiting)
      resolve()
      this.#refill()
    })
  }

  /** Never rejects: undefined is one that could not be made. */
  async #make({ pooled }: Making): Promise<Waiting | undefined> {
    const { maker, policy, onRefillFailed } = this.#options
    const { kind, poolKey } = pooled
    const name = `${this.#prefix}-${++this.#made}`
    const deadline = Date.now() + policy.idleMs + MAX_USE_MS
    const purpose = { name, origin: 'pool', job: '', attempt: 0, deadline } as const
    try {
      const container = await maker.make(kind, purpose, this.#closing.signal)
      this.#backoff.passed(poolKey)
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

import { TerminalError } from '@isopod/protocol'
import type { NewContainer } from './container.ts'
import type { ContainerKind, ContainerPurpose } from './container-kind.ts'
import type { AliveOwners, Driver, DriverFacts, Images } from './driver.ts'

/**
 * Two drivers as one: the runtime of a kind decides which one makes its container. Kinds with other runtimes, or none, belong to the
 * first driver.
 */
export class CombinedDriver implements Driver {
  readonly facts: DriverFacts
  readonly images: Images
  readonly #first: Driver
  readonly #second: Driver

  /** @throws {TerminalError} if their hosts have different processors: the probes of the self-test run on one of them only */
  constructor(first: Driver, second: Driver) {
    this.#first = first
    this.#second = second
    this.facts = combinedFacts(first.facts, second.facts)
    this.images = {
      digest: (reference, runtime) => this.#of(runtime).images.digest(reference, runtime),
    }
  }

  get removing(): number {
    return this.#first.removing + this.#second.removing
  }

  async ping(): Promise<void> {
    await this.#both((driver) => driver.ping())
  }

  make(kind: ContainerKind, purpose: ContainerPurpose, signal: AbortSignal): Promise<NewContainer> {
    return this.#of(kind.runtime).make(kind, purpose, signal)
  }

  async reap(alive: AliveOwners): Promise<number> {
    const [first, second] = await this.#both((driver) => driver.reap(alive))
    return first + second
  }

  async close(): Promise<void> {
    await this.#both((driver) => driver.close())
  }

  #of(runtime: string | undefined): Driver {
    return runtime !== undefined && this.#second.facts.runtimes.includes(runtime) ? this.#second : this.#first
  }

  /** Waits for both drivers, even if one fails. */
  async #both<T>(act: (driver: Driver) => Promise<T>): Promise<[T, T]> {
    const [first, second] = [act(this.#first), act(this.#second)]
    await Promise.allSettled([first, second])
    return await Promise.all([first, second])
  }
}

/** What holds for containers of both drivers. */
function combinedFacts(first: DriverFacts, second: DriverFacts): DriverFacts {
  if (first.architecture !== second.architecture) {
    throw new TerminalError(
      `the engine's host has another processor than the worker's: ${first.architecture} and ${second.architecture}; process sandboxes need an engine on this host`,
    )
  }
  return {
    ...first,
    // All jobs share one budget, whichever driver makes their containers.
    cpus: Math.min(first.cpus, second.cpus),
    memoryBytes: Math.min(first.memoryBytes, second.memoryBytes),
    runtimes: [...first.runtimes, ...second.runtimes],
    limitsSwap: first.limitsSwap && second.limitsSwap,
    users: Math.min(first.users, second.users),
    warnings: [...first.warnings, ...second.warnings],
  }
}

import { encodeReset } from '@isopod/init'
import type { ContainerMaker } from '../../src/acquire/container-maker.ts'
import { type ContainerSource, kindOf } from '../../src/acquire/container-source.ts'
import type { Execution } from '../../src/contract/execution.ts'
import type { Container, NewContainer } from '../../src/driver/container.ts'
import type { ContainerKind } from '../../src/driver/container-kind.ts'

/** Reuses containers of each kind for many runs: it resets them after each run, and preloads them again if they do not fork. */
export class KeptContainers implements ContainerSource {
  readonly #maker: ContainerMaker
  readonly #kept = new Map<string, Promise<NewContainer | undefined>[]>()
  #made = 0

  constructor(maker: ContainerMaker) {
    this.#maker = maker
  }

  /** Number of containers made so far, including replacements of those that were not clean after a run. */
  get made(): number {
    return this.#made
  }

  async acquire(execution: Execution, signal: AbortSignal): Promise<Container> {
    const kind = kindOf(execution)
    const kept = await this.#keptOf(kind).pop()
    return kept ?? (await this.#make(kind, signal))
  }

  release(container: Container, execution: Execution): void {
    const kind = kindOf(execution)
    // Every container here is a NewContainer, because `acquire` has made it.
    this.#keptOf(kind).push(resetAndPreload(container as NewContainer, kind))
  }

  async close(): Promise<void> {
    for (const container of await Promise.all([...this.#kept.values()].flat())) container?.destroy()
  }

  #keptOf(kind: ContainerKind): Promise<NewContainer | undefined>[] {
    const key = JSON.stringify(kind)
    const kept = this.#kept.get(key) ?? []
    this.#kept.set(key, kept)
    return kept
  }

  async #make(kind: ContainerKind, signal: AbortSignal): Promise<NewContainer> {
    const name = `isopod-kept-${process.pid}-${++this.#made}`
    const deadline = Date.now() + 3_600_000
    return await this.#maker.make(kind, { name, origin: 'batch', job: '', attempt: 0, deadline }, signal)
  }
}

async function resetAndPreload(
  container: NewContainer,
  kind: ContainerKind,
): Promise<NewContainer | undefined> {
  container.send(encodeReset())
  const frame = await container.receive()
  if (frame?.type === 'reset' && frame.reset.clean) {
    if (kind.preload && !kind.preload.forks) await container.preload(kind.preload, kind.limits)
    return container
  }
  container.destroy()
  return undefined
}

import { isGvisor, RetryableError } from '@isopod/protocol'
import type { HostMemory, JobStart } from '../driver/container.ts'
import type { ChangeableLimits } from '../driver/container-kind.ts'
import { ContainerEndedError } from '../driver/faults.ts'
import type { ContainerHost, HostView } from '../driver/init-container.ts'
import { changeableOptions } from './container-options.ts'
import type { Engine } from './engine/engine.ts'
import { viewFromHost } from './host-limits.ts'

/** Exit code of init after the end of its input, which no program can close (packages/init/README.md). */
const INIT_LOST_ITS_HOST = 3

/** How long after the end of a container its engine may still report why, in seconds. */
const MAX_EVENT_DELAY_SECONDS = { gvisor: 8, linux: 2 }

/** Options of {@link DockerHost}. */
export interface DockerHostParts {
  readonly engine: Engine
  readonly id: string
  readonly runtime: string
  /** Whether an interpreter stays in the container, to fork. */
  readonly forks: boolean
  readonly assign: (to: JobStart) => void
  readonly remove: (ending?: Promise<void>) => void
}

/** One container's operations on the Docker engine. */
export class DockerHost implements ContainerHost {
  readonly #parts: DockerHostParts

  constructor(parts: DockerHostParts) {
    this.#parts = parts
  }

  assign(to: JobStart): void {
    this.#parts.assign(to)
  }

  remove(ending?: Promise<void>): void {
    this.#parts.remove(ending)
  }

  timed<T>(operation: 'ready' | 'look' | 'preload', act: () => Promise<T>): Promise<T> {
    return this.#parts.engine.call(operation, act)
  }

  async changeLimits(limits: ChangeableLimits): Promise<void> {
    const { engine, id, runtime, forks } = this.#parts
    const options = changeableOptions(limits, runtime, forks)
    await engine.call('update', (docker, abortSignal) =>
      docker.getContainer(id).update({ ...options, abortSignal }),
    )
  }

  async view(): Promise<HostView | undefined> {
    const { engine, id } = this.#parts
    return this.#isGvisor ? await viewFromHost(engine, id) : undefined
  }

  async end(memory: HostMemory | undefined): Promise<'memory'> {
    const { engine, id } = this.#parts
    // The connection can close before the container ends, and only an ended container has an exit code.
    await engine.call('exit', (docker, abortSignal) => docker.getContainer(id).wait({ abortSignal }))
    const { State: state } = await engine.call('inspect', (docker, abortSignal) =>
      docker.getContainer(id).inspect({ abortSignal }),
    )
    // A program can end its container but never remove it.
    if (state.Status === 'removing' || state.Dead) {
      throw new RetryableError('the container was removed while its program ran')
    }
    if (state.ExitCode === INIT_LOST_ITS_HOST) {
      throw new RetryableError('the connection to the container was lost')
    }
    const isKnown = state.OOMKilled || (memory?.oomKills ?? 0) > 0
    if (isKnown || (await this.#wasOutOfMemory(state))) return 'memory'
    throw new ContainerEndedError(`the container was ended from outside (exit code ${state.ExitCode})`)
  }

  async confirmRunning(): Promise<void> {
    const { engine, id } = this.#parts
    const { State: state } = await engine.call('inspect', (docker, abortSignal) =>
      docker.getContainer(id).inspect({ abortSignal }),
    )
    if (!state.Running || state.Paused)
      throw new RetryableError('the container was paused or ended from outside')
  }

  get #isGvisor(): boolean {
    return isGvisor(this.#parts.runtime)
  }

  /** Whether the engine reported a kill for memory. Under gVisor the report often follows the end of the container. */
  async #wasOutOfMemory(state: { StartedAt: string; FinishedAt: string }): Promise<boolean> {
    const { engine, id } = this.#parts
    const second = (time: string) => Math.floor(Date.parse(time) / 1000)
    const filters = { container: [id], event: ['oom'] }
    const window = {
      since: second(state.StartedAt),
      until: second(state.FinishedAt) + MAX_EVENT_DELAY_SECONDS[this.#isGvisor ? 'gvisor' : 'linux'],
    }
    return await engine.call('events', async (docker, abortSignal) => {
      const reported = await docker.getEvents({ ...window, filters, abortSignal })
      for await (const _ of reported) return true
      return false
    })
  }
}

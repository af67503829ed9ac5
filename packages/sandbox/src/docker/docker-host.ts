import { isGvisor, RetryableError } from '@isopod/protocol'
import type { ContainerEnd, HostMemory, JobStart } from '../driver/container.ts'
import type { ChangeableLimits } from '../driver/container-kind.ts'
import type { ContainerHost, HostView } from '../driver/init-container.ts'
import { changeableOptions } from './container-options.ts'
import type { Engine } from './engine/engine.ts'
import { viewFromHost } from './host-limits.ts'

/** Exit code of init after the end of its input, which no program can close (packages/init/README.md). */
const INIT_LOST_ITS_HOST = 3
/** Exit code of a container whose first process, or whose gVisor, got SIGKILL. */
const KILLED = 137

/** How long after the end of a container its engine may still report why, in seconds. */
const MAX_EVENT_DELAY_SECONDS = 8

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

  async end(memory: HostMemory | undefined): Promise<ContainerEnd> {
    const { engine, id } = this.#parts
    // The connection may be gone before the container is, and without its end there is nothing to judge.
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
    const known = state.OOMKilled || (memory?.oomKills ?? 0) > 0
    const outOfMemory = known || (this.#isGvisor && (await this.#wasOutOfMemory(state)))
    // A program can bring gVisor to this only by its memory, of which there is no sign: a process of the host did it, or the
    // sign came too late. Either way another run tells more than this one.
    if (this.#isGvisor && state.ExitCode === KILLED && !outOfMemory) {
      throw new RetryableError('gVisor was killed, and nothing says for what')
    }
    return { exitCode: state.ExitCode, outOfMemory }
  }

  get #isGvisor(): boolean {
    return isGvisor(this.#parts.runtime)
  }

  /** Whether the engine reported a kill for memory: with gVisor, by its own clock, often only after the end. */
  async #wasOutOfMemory(state: { StartedAt: string; FinishedAt: string }): Promise<boolean> {
    const { engine, id } = this.#parts
    const second = (time: string) => Math.floor(Date.parse(time) / 1000)
    const filters = { container: [id], event: ['oom'] }
    const window = {
      since: second(state.StartedAt),
      until: second(state.FinishedAt) + MAX_EVENT_DELAY_SECONDS,
    }
    return await engine.call('events', async (docker, abortSignal) => {
      const reported = await docker.getEvents({ ...window, filters, abortSignal })
      for await (const _ of reported) return true
      return false
    })
  }
}

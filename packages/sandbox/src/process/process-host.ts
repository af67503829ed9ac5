import { RetryableError } from '@isopod/protocol'
import type { HostMemory, JobStart } from '../driver/container.ts'
import type { ChangeableLimits } from '../driver/container-kind.ts'
import { ContainerEndedError } from '../driver/faults.ts'
import type { ContainerHost, HostView } from '../driver/init-container.ts'
import type { Cgroup, CgroupLimits } from './cgroup-tree.ts'
import type { SandboxProcess } from './spawner.ts'
import type { Timed } from './timed.ts'

/** Exit code of init after the end of its input, which no program can close (packages/init/README.md). */
const INIT_LOST_ITS_HOST = 3
/** Init. */
const OWN_TASKS = 1

/** Options of {@link ProcessHost}. */
export interface ProcessHostParts {
  readonly process: SandboxProcess
  readonly cgroup: Cgroup
  /** Whether an interpreter stays in the sandbox, to fork. */
  readonly forks: boolean
  readonly timed: Timed
  readonly assign: (to: JobStart) => void
  readonly remove: (ending?: Promise<void>) => void
}

/** The limits of a sandbox's cgroup. @param forks whether an interpreter stays in it, to fork */
export function cgroupLimits(
  { memoryMb, cpus, processes }: ChangeableLimits,
  forks: boolean | undefined,
): CgroupLimits {
  return { memoryMb, cpus, tasks: processes + OWN_TASKS + (forks ? 1 : 0) }
}

/** One sandbox's operations on this host. */
export class ProcessHost implements ContainerHost {
  readonly #parts: ProcessHostParts

  constructor(parts: ProcessHostParts) {
    this.#parts = parts
  }

  assign(to: JobStart): void {
    this.#parts.assign(to)
  }

  remove(ending?: Promise<void>): void {
    this.#parts.remove(ending)
  }

  timed<T>(operation: 'ready' | 'look' | 'preload', act: () => Promise<T>): Promise<T> {
    return this.#parts.timed(operation, act)
  }

  async changeLimits(limits: ChangeableLimits): Promise<void> {
    const { timed, cgroup, forks } = this.#parts
    await timed('update', async () => cgroup.setLimits(cgroupLimits(limits, forks)))
  }

  /** Init sees its cgroup as it is. */
  async view(): Promise<HostView | undefined> {
    return undefined
  }

  async end(_memory: HostMemory | undefined): Promise<'memory'> {
    const { timed, process, cgroup } = this.#parts
    // The socket can close before the process ends, and only an ended process has an exit code.
    const { code, signal } = await timed('exit', () => process.ended)
    if (code === INIT_LOST_ITS_HOST) throw new RetryableError('the connection to the sandbox was lost')
    if ((cgroup.memory()?.oomKills ?? 0) > 0) return 'memory'
    throw new ContainerEndedError(
      `the sandbox was ended from outside (${code === null ? `signal ${signal}` : `exit code ${code}`})`,
    )
  }

  async confirmRunning(): Promise<void> {
    if (!this.#parts.process.isRunning) throw new RetryableError('the sandbox was ended from outside')
  }
}

import type { ContainerSource } from '../../src/acquire/container-source.ts'
import type { Execution } from '../../src/contract/execution.ts'
import { SHM_BYTES, tmpBytes, workspaceBytes } from '../../src/driver/confinement.ts'
import type { Container } from '../../src/driver/container.ts'
import { factsOf } from '../../src/execution/run-execution.ts'

const MIB = 1024 * 1024

/** Reports every container as confined as requested, whatever its init has read, so that only probes can notice a weakness. */
export class UnsuspectingSource implements ContainerSource {
  readonly #source: ContainerSource

  constructor(source: ContainerSource) {
    this.#source = source
  }

  async acquire(execution: Execution, signal: AbortSignal): Promise<Container> {
    const container = await this.#source.acquire(execution, signal)
    const { limits } = execution
    const ready: Container['ready'] = {
      ...container.ready,
      memoryBytes: limits.memoryMb * MIB,
      memorySwapBytes: limits.memoryMb * MIB,
      cpuQuotaUs: limits.cpus * 100_000,
      cpuPeriodUs: 100_000,
      pidsMax: limits.processes + 1,
      workspaceBytes: workspaceBytes(limits.diskMb),
      tmpBytes: tmpBytes(limits.diskMb),
      shmBytes: SHM_BYTES,
      noNewPrivileges: true,
      capabilities: '0'.repeat(16),
      seccomp: 2,
      seccompFilters: 1,
      uid: container.user.uid,
      gid: container.user.gid,
    }
    const { user, hostLimits, deadline } = container
    return {
      ...{ ...factsOf(container), user, hostLimits, deadline, ready },
      changeLimits: async () => {},
      readConfinement: async () => ready,
      resetAfterRun: () => false,
      reset: () => container.reset(),
      assign: (to) => container.assign(to),
      send: (frames) => container.send(frames),
      receive: () => container.receive(),
      hostMemory: () => container.hostMemory(),
      end: () => container.end(),
      confirmRunning: () => container.confirmRunning(),
      destroy: () => container.destroy(),
    }
  }

  release(container: Container): void {
    container.destroy()
  }
}

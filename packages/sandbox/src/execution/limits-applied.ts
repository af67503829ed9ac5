import type { Ready } from '@isopod/init'
import type { Limits, LimitsApplied } from '@isopod/protocol'
import { gvisorTasks, SHM_BYTES, tmpBytes, workspaceBytes } from '../driver/confinement.ts'
import type { HostLimits } from '../driver/container.ts'

const MIB = 1024 * 1024
/** Mode of /proc/self/status when a seccomp filter is in force. */
const SECCOMP_FILTER = 2
const NO_CAPABILITIES = '0'.repeat(16)

function inMib(bytes: number | null): number | null {
  return bytes === null ? null : bytes / MIB
}

/**
 * The limits as the container itself saw them: memory, processor, processes and disk from init's reading of its own
 * cgroup and mounts; time, output and open files as init answered when the run had started, compared there.
 *
 * @param host what the host says where the container's kernel is gVisor: that one counts memory and processes itself
 *   and shows both limits, but neither the quota of processor time nor swap
 */
export function limitsApplied(ready: Ready, limits: Limits, host?: HostLimits): LimitsApplied {
  return {
    timeoutSeconds: limits.timeoutSeconds,
    jobSeconds: limits.jobSeconds,
    cpuSeconds: limits.cpuSeconds,
    ...(host === undefined ? fromCgroup(ready) : fromGvisor(ready, host)),
    diskMb: ((ready.workspaceBytes ?? 0) + (ready.tmpBytes ?? 0)) / MIB,
    outputBytes: limits.outputBytes,
    openFiles: limits.openFiles,
  }
}

type Counted = Pick<LimitsApplied, 'memoryMb' | 'memorySwapMb' | 'cpus' | 'processes' | 'outside'>

function fromCgroup(ready: Ready): Counted {
  return {
    memoryMb: (ready.memoryBytes ?? 0) / MIB,
    memorySwapMb: ready.memorySwapBytes === null ? null : ready.memorySwapBytes / MIB,
    cpus: ready.cpuQuotaUs && ready.cpuPeriodUs ? ready.cpuQuotaUs / ready.cpuPeriodUs : 0,
    // Init counts in the pids cgroup and does not belong to the program's share.
    processes: (ready.pidsMax ?? 1) - 1,
  }
}

function fromGvisor(ready: Ready, { cpus, memorySwapMb, source }: HostLimits): Counted {
  return {
    memoryMb: (ready.memoryTotalBytes ?? 0) / MIB,
    memorySwapMb,
    cpus,
    processes: (ready.processLimit ?? 1) - 1,
    outside: { limits: ['cpus', 'memorySwapMb'], source },
  }
}

/**
 * Compares what was asked with what the container saw, confinement flags included.
 *
 * @returns one phrase per difference; anything but an empty list is a fault of the platform, never run on
 */
export function confinementProblems(
  ready: Ready,
  limits: Limits,
  user: { uid: number; gid: number },
  host?: HostLimits,
): string[] {
  const applied = limitsApplied(ready, limits, host)
  // The engine's profile guards the host's kernel, which gVisor's programs never call. Init's own filter is laid on each
  // program there too, or it is not started.
  const profile = host === undefined ? SECCOMP_FILTER : ready.seccomp
  const checks: [string, unknown, unknown][] = [
    ['memoryMb', limits.memoryMb, applied.memoryMb],
    ['memorySwapMb', limits.memoryMb, applied.memorySwapMb ?? limits.memoryMb],
    // The kernel keeps whole microseconds per period.
    ['cpus', limits.cpus, Math.abs(applied.cpus - limits.cpus) < 0.001 ? limits.cpus : applied.cpus],
    ['processes', limits.processes, applied.processes],
    ['hostTasks', host && gvisorTasks(limits.processes), host?.tasks],
    // Each on its own: what one lacks, another could have too much of.
    ['workspaceMb', workspaceBytes(limits.diskMb) / MIB, inMib(ready.workspaceBytes)],
    ['tmpMb', tmpBytes(limits.diskMb) / MIB, inMib(ready.tmpBytes)],
    ['shmMb', SHM_BYTES / MIB, inMib(ready.shmBytes)],
    ['noNewPrivileges', true, ready.noNewPrivileges],
    ['capabilities', NO_CAPABILITIES, ready.capabilities],
    ['seccomp', profile, ready.seccomp],
    // At least the engine's: where the engine itself is confined there are more. Older kernels do not tell.
    ['seccompFilters', 1, Math.min(ready.seccompFilters ?? 1, 1)],
    ['pid', 1, ready.pid],
    ['uid', user.uid, ready.uid],
    ['gid', user.gid, ready.gid],
  ]
  return checks
    .filter(([, wanted, found]) => wanted !== found)
    .map(([name, wanted, found]) => `${name} is ${String(found)}, wanted ${String(wanted)}`)
}

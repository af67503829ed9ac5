import type { Ready } from '@isopod/init'
import { type Language, type Limits, type LimitsApplied, pickLimits } from '@isopod/protocol'
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
 * The limits as the container itself saw them: memory, processor, processes and disk as init read them from its cgroup and
 * mounts; time, output and the limits of a process as asked, which `runProgram` compares with init's answer.
 *
 * @param host what the host sees of a container under gVisor, which shows its limits of memory and processes, but
 *   neither its CPU quota nor swap
 * @param language whose factor the timeout includes. @default one without
 */
export function limitsApplied(
  ready: Ready,
  limits: Limits,
  host?: HostLimits,
  { timeout_factor = 1 }: Partial<Pick<Language, 'timeout_factor'>> = {},
): LimitsApplied {
  return {
    timeoutSeconds: limits.timeoutSeconds,
    ...(timeout_factor !== 1 && { timeoutFactor: timeout_factor }),
    compileSeconds: limits.compileSeconds,
    jobSeconds: limits.jobSeconds,
    cpuSeconds: limits.cpuSeconds,
    ...(host === undefined ? fromCgroup(ready) : fromGvisor(ready, host)),
    diskMb: ((ready.workspaceBytes ?? 0) + (ready.tmpBytes ?? 0)) / MIB,
    outputBytes: limits.outputBytes,
    ...pickLimits(limits, 'process'),
  }
}

type CgroupLimits = Pick<LimitsApplied, 'memoryMb' | 'memorySwapMb' | 'cpus' | 'processes' | 'outside'>

function fromCgroup(ready: Ready): CgroupLimits {
  return {
    memoryMb: (ready.memoryBytes ?? 0) / MIB,
    memorySwapMb: ready.memorySwapBytes === null ? null : ready.memorySwapBytes / MIB,
    cpus: ready.cpuQuotaUs && ready.cpuPeriodUs ? ready.cpuQuotaUs / ready.cpuPeriodUs : 0,
    // Init counts in the pids cgroup and does not belong to the program's share.
    processes: (ready.pidsMax ?? 1) - 1,
  }
}

function fromGvisor(ready: Ready, { cpus, memorySwapMb, source }: HostLimits): CgroupLimits {
  return {
    memoryMb: (ready.memoryTotalBytes ?? 0) / MIB,
    memorySwapMb,
    cpus,
    processes: (ready.processLimit ?? 1) - 1,
    outside: { limits: ['cpus', 'memorySwapMb'], source },
  }
}

/**
 * Compares the limits and flags that were asked for with those that the container saw.
 *
 * @returns one phrase per difference; any difference is a fault of the platform, and nothing may run
 */
export function confinementProblems(
  ready: Ready,
  limits: Limits,
  user: { uid: number; gid: number },
  host?: HostLimits,
): string[] {
  const applied = limitsApplied(ready, limits, host)
  // The engine's profile guards the host's kernel, which programs under gVisor never call. Init installs its own filter on each
  // program there too, or does not start it.
  const profile = host === undefined ? SECCOMP_FILTER : ready.seccomp
  const checks: [string, unknown, unknown][] = [
    ['memoryMb', limits.memoryMb, applied.memoryMb],
    ['memorySwapMb', limits.memoryMb, applied.memorySwapMb ?? limits.memoryMb],
    // The kernel keeps whole microseconds per period.
    ['cpus', limits.cpus, Math.abs(applied.cpus - limits.cpus) < 0.001 ? limits.cpus : applied.cpus],
    ['processes', limits.processes, applied.processes],
    ['hostTasks', host && gvisorTasks(limits.processes), host?.tasks],
    // Each size by itself: a sum would hide that one is too small and another too large.
    ['workspaceMb', workspaceBytes(limits.diskMb) / MIB, inMib(ready.workspaceBytes)],
    ['tmpMb', tmpBytes(limits.diskMb) / MIB, inMib(ready.tmpBytes)],
    ['shmMb', SHM_BYTES / MIB, inMib(ready.shmBytes)],
    ['noNewPrivileges', true, ready.noNewPrivileges],
    ['capabilities', NO_CAPABILITIES, ready.capabilities],
    ['seccomp', profile, ready.seccomp],
    // One or more: an engine that is itself confined adds its own filters. Older kernels do not report the number.
    ['seccompFilters', 1, Math.min(ready.seccompFilters ?? 1, 1)],
    ['pid', 1, ready.pid],
    ['uid', user.uid, ready.uid],
    ['gid', user.gid, ready.gid],
  ]
  return checks
    .filter(([, wanted, found]) => wanted !== found)
    .map(([name, wanted, found]) => `${name} is ${String(found)}, wanted ${String(wanted)}`)
}

import type { LimitsApplied } from '@isopod/protocol'
import { hostTasks, REUSE } from '../runtime.ts'

const MIB = 1024 * 1024
/** The kernel charges memory in batches of pages per processor, so a reading may exceed the usage by this much. */
const CHARGE_SLACK = 2 * MIB

/** The host's observations of one container from its start to its end. */
export interface Sighting {
  readonly container: string
  readonly runtime: string
  /** Time of the last reading, in milliseconds since 1970. */
  until: number
  /** Successive values of each limit; more than one means that the limit was changed. */
  readonly limits: { readonly memory: number[]; readonly pids: number[]; readonly cpus: number[] }
  /** Whether the container was pooled before it got a job; until then its limits may differ. */
  waited: boolean
  /** User id of init; undefined if it ended before the first reading. */
  user: number | undefined
  memoryPeak: number
  pidsPeak: number
  /** Bytes on the engine's disk: its log, and its changes to the image. */
  diskPeak: number
  /** Violations: a process with a capability, its own namespace, or its own cgroup. */
  readonly wrong: Set<string>
  gone: boolean
}

/** A container of which nothing was read yet. */
export function newSighting(container: string, runtime: string): Sighting {
  return {
    ...{ container, runtime, until: 0, user: undefined, waited: false, gone: false },
    ...{ memoryPeak: 0, pidsPeak: 0, diskPeak: 0 },
    limits: { memory: [], pids: [], cpus: [] },
    wrong: new Set<string>(),
  }
}

/** Problems of a container that was made with these limits, one sentence each. */
export function sightingProblems(seen: Sighting, wanted: LimitsApplied): string[] {
  const found = [...seen.wrong]
  const tasks = hostTasks(wanted.processes, seen.runtime)
  const limits = [
    ['memory', seen.limits.memory, wanted.memoryMb * MIB],
    ['pids', seen.limits.pids, tasks],
    ['cpus', seen.limits.cpus, wanted.cpus],
  ] as const
  for (const [name, values, right] of limits) {
    // A pooled container's limits change once, before its job.
    const own = seen.waited && values.length > 1 ? values.slice(1) : values
    const wrong = own.filter((value) => Math.abs(value - right) > 0.001)
    if (wrong.length > 0) found.push(`the limit ${name} was ${wrong.join(', ')} on the host, wanted ${right}`)
  }
  if (seen.memoryPeak > wanted.memoryMb * MIB + CHARGE_SLACK)
    found.push(`it had ${seen.memoryPeak} bytes of memory`)
  if (seen.pidsPeak > tasks) found.push(`it had ${seen.pidsPeak} processes`)
  if (seen.diskPeak > MIB) found.push(`it took ${seen.diskPeak} bytes of the engine's disk`)
  // A container of a batch stays for the next job.
  if (!seen.gone && REUSE === 'never') found.push('it was still there when its result was')
  return found
}

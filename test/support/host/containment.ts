import { readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LimitsApplied } from '@isopod/protocol'
import { DRIVER, hostTasks, REUSE } from '../runtime.ts'
import { scaled } from '../time-factor.ts'
import type { World } from '../world.ts'
import { type ContainerStart, engineDataRoot, watchEngine, watchRecords } from './container-starts.ts'
import { type ContainerGroup, groupOf } from './control-group.ts'
import { bytesOnDisk } from './engine-disk.ts'

const INIT_PATH = '/isopod/init'
const BUBBLEWRAP = '/usr/bin/bwrap'
/** Sandboxes without an engine are gone as soon as their job has ended. */
const SAMPLE_MS = DRIVER === 'docker' ? 20 : 2
const DISK_EVERY = 5
const NAMESPACES = ['pid', 'net', 'mnt', 'ipc', 'uts', 'user', 'cgroup'] as const
/** Values of `Seccomp` in /proc of a confined process: 2 with a filter, 3 while the filter ends it. */
const FILTERED: ReadonlySet<string> = new Set(['2', '3'])
const MIB = 1024 * 1024
/** The kernel charges memory in batches of pages per processor, so a reading may exceed the usage by this much. */
const CHARGE_SLACK = 2 * MIB

/** The host's observations of one container from its start to its end. */
export interface Sighting {
  readonly container: string
  /** Times of the first and the last reading, in milliseconds since the process started. */
  readonly from: number
  until: number
  /** Successive values of each limit; more than one means that the limit was changed. */
  readonly limits: { readonly memory: number[]; readonly pids: number[]; readonly cpus: number[] }
  /** Whether the container was pooled before it got a job; until then its limits may differ. */
  waited: boolean
  /** Maximum number of the host's tasks for a number of processes of the program. */
  readonly tasks: (processes: number) => number
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

/** Where containers are made, and which runtime they have. */
interface Maker {
  /** The engine's data folder; undefined for sandboxes without an engine. */
  readonly dataRoot?: string | undefined
  readonly runtime: string
}

/** A pooled container that a job got. */
export interface Assignment {
  readonly container: string
  /** When it had the job's limits, in milliseconds since 1970. */
  readonly at: number
}

/** Watches all containers of one stack from the host's side. */
export interface ContainmentWatch {
  /** The containers of a job, oldest first, once each of them has ended; without those that were not read during the job. */
  ofJob(job: string): Promise<readonly Sighting[]>
  /** The observations of a container so far. */
  ofContainer(container: string): Sighting | undefined
  close(): void
}

/**
 * Reads the control groups and processes of each container that starts.
 *
 * @param world whose containers
 * @param assigned returns the pooled containers that a job got, which have no label with its id
 */
export async function watchContainment(
  { dockerHost, prefix, sandboxState }: Pick<World, 'dockerHost' | 'prefix' | 'sandboxState'>,
  runtime: string,
  assigned: (job: string) => Promise<readonly Assignment[]> = async () => [],
): Promise<ContainmentWatch> {
  const jobs = new Map<string, Sighting[]>()
  const waiting = new Map<string, Sighting>()
  const closing = new AbortController()
  const { signal } = closing
  const hasEngine = DRIVER === 'docker'
  const maker = { runtime, dataRoot: hasEngine ? await engineDataRoot(dockerHost) : undefined }
  const onStart = ({ container, job }: ContainerStart) => {
    const group = groupOf(container)
    if (group === undefined) return
    const sighting = begin(container, runtime)
    if (job === '') waiting.set(container, sighting)
    jobs.set(job, [...(jobs.get(job) ?? []), sighting])
    void follow(group, sighting, maker, signal)
  }
  if (hasEngine) await watchEngine(dockerHost, prefix, onStart, signal)
  else watchRecords(sandboxState, onStart, signal)
  return {
    async ofJob(job) {
      const until = Date.now() + scaled(15_000)
      const assignments = await assigned(job)
      const sightings = () => [
        ...(jobs.get(job) ?? []),
        ...assignments.flatMap(({ container }) => waiting.get(container) ?? []),
      ]
      while (sightings().some(({ gone }) => !gone) && Date.now() < until) await sleep(SAMPLE_MS)
      for (const { container, at } of assignments) {
        const sighting = waiting.get(container)
        if (sighting === undefined) continue
        sighting.waited = true
        // A short job can end between two readings; then only the limits of the pool were read.
        if (performance.timeOrigin + sighting.until <= at) waiting.delete(container)
      }
      return sightings()
    },
    ofContainer: (id) => [...jobs.values()].flat().find(({ container }) => container === id),
    close: () => closing.abort(),
  }
}

/** Problems of a container that was made with these limits, one sentence each. */
export function sightingProblems(seen: Sighting, wanted: LimitsApplied): string[] {
  const found = [...seen.wrong]
  const limits = [
    ['memory', seen.limits.memory, wanted.memoryMb * MIB],
    ['pids', seen.limits.pids, seen.tasks(wanted.processes)],
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
  if (seen.pidsPeak > seen.tasks(wanted.processes)) found.push(`it had ${seen.pidsPeak} processes`)
  if (seen.diskPeak > MIB) found.push(`it took ${seen.diskPeak} bytes of the engine's disk`)
  // A container of a batch stays for the next job.
  if (!seen.gone && REUSE === 'never') found.push('it was still there when its result was')
  return found
}

function begin(container: string, runtime: string): Sighting {
  const now = performance.now()
  const limits = { memory: [], pids: [], cpus: [] }
  const wrong = new Set<string>()
  return {
    container,
    tasks: (processes) => hostTasks(processes, runtime),
    from: now,
    until: now,
    limits,
    memoryPeak: 0,
    pidsPeak: 0,
    diskPeak: 0,
    wrong,
    waited: false,
    gone: false,
    user: undefined,
  }
}

async function follow(
  group: ContainerGroup,
  seen: Sighting,
  { dataRoot, runtime }: Maker,
  signal: AbortSignal,
): Promise<void> {
  let readings = 0
  while (!signal.aborted) {
    const now = group.read()
    if (now === undefined) {
      seen.gone = true
      return
    }
    seen.until = performance.now()
    seen.user ??= userOf(now.processes[0])
    note(seen.limits.memory, now.memoryLimit)
    note(seen.limits.pids, now.pidsLimit)
    note(seen.limits.cpus, now.cpus)
    seen.memoryPeak = Math.max(seen.memoryPeak, now.memoryPeak ?? 0)
    seen.pidsPeak = Math.max(seen.pidsPeak, now.pids ?? 0)
    if (dataRoot !== undefined && readings++ % DISK_EVERY === 0)
      seen.diskPeak = Math.max(seen.diskPeak, bytesOnDisk(dataRoot, seen.container))
    for (const name of now.below) seen.wrong.add(`it has a control group of its own making: ${name}`)
    // Under gVisor these are processes of its own kernel, which confines the programs.
    if (runtime !== 'runsc') for (const problem of processProblems(now.processes)) seen.wrong.add(problem)
    await sleep(SAMPLE_MS)
  }
}

function note(values: number[], value: number | undefined): void {
  if (value !== undefined && values.at(-1) !== value) values.push(value)
}

/** Checks that every process has the namespaces and privileges of the first one. */
function processProblems(pids: readonly number[]): string[] {
  const init = pids.find((pid) => /^NSpid:.*\t1$/m.test(read(`/proc/${pid}/status`)) && isInit(pid))
  if (init === undefined) return []
  const home = namespaces(init)
  return pids.filter(isOfSandbox).flatMap((pid) => {
    const status = read(`/proc/${pid}/status`)
    if (!status.includes('CapEff')) return []
    const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? ''
    const found: string[] = []
    for (const set of ['CapEff', 'CapPrm', 'CapInh', 'CapBnd', 'CapAmb']) {
      if (!/^0+$/.test(field(set))) found.push(`a process in it has ${set} ${field(set)}`)
    }
    if (/(^|\s)0(\s|$)/.test(`${field('Uid')} ${field('Gid')}`)) found.push('a process in it is root')
    if (field('NoNewPrivs') !== '1') found.push('a process in it may gain privileges')
    if (!FILTERED.has(field('Seccomp'))) found.push('a process in it has no seccomp filter')
    const there = namespaces(pid)
    for (const name of NAMESPACES) {
      // A process that ends, such as an init that the kernel kills, has no namespaces any more.
      const both = [home.get(name), there.get(name)]
      if (both[0] !== both[1] && !both.includes(undefined))
        found.push(`a process in it is in another ${name} namespace than init`)
    }
    return found
  })
}

/** The program of a process; undefined if it has ended. */
function programOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return undefined
  }
}

/** Bubblewrap is the first process of a sandbox, too, until it becomes init. */
function isInit(pid: number): boolean {
  return DRIVER === 'docker' || programOf(pid) === INIT_PATH
}

/** Bubblewrap waits beside a sandbox until init runs. No root has it, so no program can be it. */
function isOfSandbox(pid: number): boolean {
  return DRIVER === 'docker' || programOf(pid) !== BUBBLEWRAP
}

function userOf(pid: number | undefined): number | undefined {
  const uid = pid === undefined ? undefined : /^Uid:\s*(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1]
  return uid === undefined ? undefined : Number(uid)
}

function namespaces(pid: number): Map<string, string> {
  const links = NAMESPACES.flatMap((name) => {
    try {
      return [[name, readlinkSync(`/proc/${pid}/ns/${name}`)] as const]
    } catch {
      return []
    }
  })
  return new Map(links)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

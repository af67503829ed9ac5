import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { RetryableError } from '@isopod/protocol'
import type { HostMemory } from '../driver/container.ts'

const MIB = 1024 * 1024
/** What a cgroup of version 2 must pass on for its children to have limits. */
export const UNIFIED_CONTROLLERS = '+memory +pids +cpu'
/** The kernel's default, which the engine uses too. */
const PERIOD_US = 100_000
/** Removal of a cgroup whose processes have just been killed: tries, and the pause between them in milliseconds. */
const REMOVAL_TRIES = 200
const REMOVAL_PAUSE_MS = 10

/** Limits of one cgroup. */
export interface CgroupLimits {
  readonly memoryMb: number
  readonly cpus: number
  /** Maximum number of tasks, all of them. */
  readonly tasks: number
}

/** Where the kernel shows a directory to the host, and where a sandbox sees it. */
interface Binding {
  readonly source: string
  readonly target: string
}

/** Further directories that every sandbox sees below /sys/fs/cgroup, by name. */
export type CgroupViews = Readonly<Record<string, string>>

/** Makes cgroups below one that this worker may write to. */
export class CgroupTree {
  readonly version: 1 | 2
  readonly limitsSwap: boolean
  /** One directory per hierarchy: one for version 2; below each lie the cgroups of the sandboxes. */
  readonly #bases: ReadonlyMap<string, string>
  readonly #views: CgroupViews

  constructor(version: 1 | 2, bases: ReadonlyMap<string, string>, views: CgroupViews = {}) {
    this.version = version
    this.#bases = bases
    this.#views = views
    this.limitsSwap = version === 2 || existsSync(`${bases.get('memory')}/memory.memsw.limit_in_bytes`)
  }

  /** The cgroup of a sandbox, which may not be there yet. */
  at(name: string): Cgroup {
    return this.open(new Map([...this.#bases].map(([controller, base]) => [controller, `${base}/${name}`])))
  }

  /** A cgroup in these directories, by controller: one that another worker made. */
  open(directories: ReadonlyMap<string, string>): Cgroup {
    return new Cgroup(this.version, directories, { limitsSwap: this.limitsSwap, views: this.#views })
  }

  /** Removes the directories below which the cgroups of sandboxes were, unless one of them is left. */
  close(): void {
    for (const directory of [...this.#bases.values(), ...Object.values(this.#views)]) removeEmpty(directory)
  }

  /** Makes a cgroup without limits. @throws {RetryableError} if the kernel refuses */
  create(cgroup: Cgroup): void {
    try {
      // A reaper that took this worker for gone may have removed them.
      for (const base of new Set(this.#bases.values())) this.#ensure(base)
      for (const directory of new Set(cgroup.directories.values())) mkdirSync(directory)
    } catch (cause) {
      cgroup.removeNow()
      throw new RetryableError(`the kernel refused a cgroup: ${(cause as Error).message}`, { cause })
    }
  }

  #ensure(base: string): void {
    if (existsSync(base)) return
    mkdirSync(base)
    if (this.version === 2) writeFileSync(`${base}/cgroup.subtree_control`, UNIFIED_CONTROLLERS)
  }
}

/** The cgroup of one sandbox. */
export class Cgroup {
  readonly directories: ReadonlyMap<string, string>
  readonly #version: 1 | 2
  readonly #limitsSwap: boolean
  readonly #views: CgroupViews

  constructor(
    version: 1 | 2,
    directories: ReadonlyMap<string, string>,
    { limitsSwap, views }: { limitsSwap: boolean; views: CgroupViews },
  ) {
    this.#version = version
    this.directories = directories
    this.#limitsSwap = limitsSwap
    this.#views = views
  }

  /** Files to which a process writes 0 to join. */
  get doors(): string[] {
    return [...new Set(this.directories.values())].map((directory) => `${directory}/cgroup.procs`)
  }

  /** Whether it is there in every hierarchy. */
  get exists(): boolean {
    return [...this.directories.values()].every((directory) => existsSync(directory))
  }

  /** What a sandbox sees of it, below /sys/fs/cgroup. */
  get bindings(): Binding[] {
    if (this.#version === 2)
      return [{ source: this.directories.get('memory') ?? '', target: '/sys/fs/cgroup' }]
    return [...this.directories, ...Object.entries(this.#views)].map(([controller, source]) => ({
      source,
      target: `/sys/fs/cgroup/${controller}`,
    }))
  }

  /** Sets the limits, also while processes run in it. */
  setLimits({ memoryMb, cpus, tasks }: CgroupLimits): void {
    const bytes = String(memoryMb * MIB)
    const quota = Math.round(cpus * PERIOD_US)
    if (this.#version === 2) {
      this.#write('memory', 'memory.max', bytes)
      this.#write('memory', 'memory.swap.max', '0')
      this.#write('cpu', 'cpu.max', `${quota} ${PERIOD_US}`)
    } else {
      this.#setMemoryV1(bytes)
      this.#write('cpu', 'cpu.cfs_period_us', String(PERIOD_US))
      this.#write('cpu', 'cpu.cfs_quota_us', String(quota))
    }
    this.#write('pids', 'pids.max', String(tasks))
  }

  /** Counters as they are now; undefined once it is gone. */
  memory(): HostMemory | undefined {
    const [events, peak] =
      this.#version === 2
        ? [this.#read('memory', 'memory.events'), this.#read('memory', 'memory.peak')]
        : [this.#read('memory', 'memory.oom_control'), this.#read('memory', 'memory.max_usage_in_bytes')]
    if (events === undefined) return undefined
    const kills = Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0)
    return { oomKills: kills, peakBytes: peak === undefined ? null : Number(peak) }
  }

  /** Kills every process in it, and removes it. @throws {RetryableError} if processes survive SIGKILL for too long */
  async remove(): Promise<void> {
    for (let left = REMOVAL_TRIES; left > 0; left--) {
      if (this.removeNow()) return
      this.#kill()
      await sleep(REMOVAL_PAUSE_MS)
    }
    throw new RetryableError(`the kernel did not end all processes of ${[...this.directories.values()][0]}`)
  }

  /** Removes it if no process is left in it. @returns whether it is gone */
  removeNow(): boolean {
    let isGone = true
    for (const directory of this.directories.values()) isGone = removeEmpty(directory) && isGone
    return isGone
  }

  #kill(): void {
    if (this.#version === 2 && this.#tryWrite('memory', 'cgroup.kill', '1')) return
    for (const directory of this.directories.values()) {
      for (const pid of readText(`${directory}/cgroup.procs`)?.split('\n') ?? []) kill(Number(pid))
    }
  }

  /** Memory alone can never be above memory and swap together, whichever of them is set first. */
  #setMemoryV1(bytes: string): void {
    const files = ['memory.limit_in_bytes', ...(this.#limitsSwap ? ['memory.memsw.limit_in_bytes'] : [])]
    for (const file of files) this.#tryWrite('memory', file, bytes)
    for (const file of files) this.#write('memory', file, bytes)
  }

  #write(controller: string, file: string, value: string): void {
    writeFileSync(`${this.directories.get(controller)}/${file}`, value)
  }

  #tryWrite(controller: string, file: string, value: string): boolean {
    try {
      this.#write(controller, file, value)
      return true
    } catch {
      return false
    }
  }

  #read(controller: string, file: string): string | undefined {
    return readText(`${this.directories.get(controller)}/${file}`)
  }
}

/** Removes a directory without sandboxes. @returns whether it is gone */
export function removeEmpty(directory: string): boolean {
  try {
    rmdirSync(directory)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function kill(pid: number): void {
  if (!(pid > 1)) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

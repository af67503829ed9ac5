import { accessSync, constants, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RetryableError } from '@isopod/protocol'
import type { HostMemory } from '../driver/container.ts'
import { readCgroupFile, removeEmpty, tryWriteFile } from './cgroup-files.ts'

const MIB = 1024 * 1024
/** What a cgroup of version 2 must pass on for its children to have limits. */
export const UNIFIED_CONTROLLERS = '+memory +pids +cpu'
/** Names of the folders of workers begin with it. */
export const FOLDER_PREFIX = 'isopod-'
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

/** Further directories that every sandbox sees below /sys/fs/cgroup, by name; no process joins them. */
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
    // The parent tells, too: the base may not be there yet.
    const parent = dirname(bases.get('memory') ?? '')
    this.limitsSwap = version === 2 || existsSync(`${parent}/memory.memsw.limit_in_bytes`)
  }

  /** The cgroup of a sandbox, which may not be there yet. */
  at(name: string): Cgroup {
    return this.open(new Map([...this.#bases].map(([controller, base]) => [controller, `${base}/${name}`])))
  }

  /** The directories of this worker, below which the cgroups of its sandboxes are. */
  get directories(): string[] {
    return [...new Set(this.#bases.values()), ...Object.values(this.#views)]
  }

  /** A cgroup in these directories, by controller: one that another worker made. */
  open(directories: ReadonlyMap<string, string>): Cgroup {
    return new Cgroup(this.version, directories, {
      ...{ limitsSwap: this.limitsSwap, views: this.#views, folders: this.directories },
    })
  }

  /**
   * The cgroup with this name below this worker's own cgroup, in the folder of any worker: for a record that cannot be read.
   */
  find(name: string): Cgroup {
    const found = [...this.#bases].flatMap(([controller, base]) => {
      const directory = siblings(base)
        .map((folder) => `${folder}/${name}`)
        .find((path) => existsSync(path))
      return directory === undefined ? [] : [[controller, directory] as const]
    })
    return this.open(new Map(found))
  }

  /** Removes the directories below which the cgroups of sandboxes were, unless one of them is left. */
  close(): void {
    for (const folder of this.directories) removeEmpty(folder)
  }

  /**
   * Makes a cgroup without limits.
   *
   * @throws {RetryableError} if the kernel refuses
   */
  create(cgroup: Cgroup): void {
    try {
      this.ensure()
      for (const directory of new Set(cgroup.directories.values())) mkdirSync(directory)
    } catch (cause) {
      cgroup.removeNow()
      throw new RetryableError(`the kernel refused a cgroup: ${(cause as Error).message}`, { cause })
    }
  }

  /**
   * Makes the directories of this worker, unless they are there: with its first sandbox, whose record names them, and again after a
   * reaper that took this worker for gone.
   */
  ensure(): void {
    for (const base of new Set(this.#bases.values())) {
      if (existsSync(base)) continue
      mkdirSync(base)
      accessSync(base, constants.W_OK)
      if (this.version === 2) writeFileSync(`${base}/cgroup.subtree_control`, UNIFIED_CONTROLLERS)
      // Otherwise limits of the sandboxes together would not count, on kernels where that is a choice.
      else if (existsSync(`${base}/memory.use_hierarchy`)) tryWriteFile(`${base}/memory.use_hierarchy`, '1')
    }
    for (const view of Object.values(this.#views)) {
      if (existsSync(view)) continue
      mkdirSync(view)
      for (const file of ['cpuset.cpus', 'cpuset.mems']) {
        tryWriteFile(`${view}/${file}`, readCgroupFile(`${dirname(view)}/${file}`) ?? '')
      }
    }
  }
}

/** The cgroup of one sandbox. */
export class Cgroup {
  readonly directories: ReadonlyMap<string, string>
  /** Directories of its worker, to be removed after the last sandbox. */
  readonly folders: readonly string[]
  readonly #version: 1 | 2
  readonly #limitsSwap: boolean
  readonly #views: CgroupViews

  constructor(
    version: 1 | 2,
    directories: ReadonlyMap<string, string>,
    { limitsSwap, views, folders }: { limitsSwap: boolean; views: CgroupViews; folders: readonly string[] },
  ) {
    this.#version = version
    this.directories = directories
    this.#limitsSwap = limitsSwap
    this.#views = views
    this.folders = folders
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
      for (const pid of readCgroupFile(`${directory}/cgroup.procs`)?.split('\n') ?? []) kill(Number(pid))
    }
  }

  /** The limit of memory can never be above that of memory and swap together, so a higher one is refused until the other is set. */
  #setMemoryV1(bytes: string): void {
    const file = 'memory.limit_in_bytes'
    const isSet = this.#tryWrite('memory', file, bytes)
    if (this.#limitsSwap) this.#write('memory', 'memory.memsw.limit_in_bytes', bytes)
    if (!isSet) this.#write('memory', file, bytes)
  }

  #write(controller: string, file: string, value: string): void {
    writeFileSync(`${this.directories.get(controller)}/${file}`, value)
  }

  #tryWrite(controller: string, file: string, value: string): boolean {
    return tryWriteFile(`${this.directories.get(controller)}/${file}`, value)
  }

  #read(controller: string, file: string): string | undefined {
    return readCgroupFile(`${this.directories.get(controller)}/${file}`)
  }
}

/** The folders of all workers that have the same cgroup. */
function siblings(base: string): string[] {
  const parent = dirname(base)
  const names = readdirSync(parent).filter((name) => name.startsWith(FOLDER_PREFIX))
  return names.map((name) => `${parent}/${name}`)
}

function kill(pid: number): void {
  if (!(pid > 1)) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

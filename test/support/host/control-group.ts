import { existsSync, readdirSync, readFileSync } from 'node:fs'

const ROOT = '/sys/fs/cgroup'

/** Values of a container's control group at one moment; undefined where this kernel lacks them. */
export interface GroupReading {
  readonly memoryLimit: number | undefined
  readonly memoryPeak: number | undefined
  readonly pidsLimit: number | undefined
  readonly pids: number | undefined
  readonly cpus: number | undefined
  /** Host process ids, init first. */
  readonly processes: readonly number[]
  /** Names of child groups. */
  readonly below: readonly string[]
}

/** A container's control group in the host's cgroup file system, version 1 or 2. */
export interface ContainerGroup {
  /** Number of tasks in it; undefined once the group is gone. */
  tasks(): number | undefined
  /** Undefined once the group is gone. */
  read(): GroupReading | undefined
}

/** Finds a container's control group; undefined if the container is gone or on another host. */
export function groupOf(container: string): ContainerGroup | undefined {
  const [memory, pids, cpu] = ['memory', 'pids', 'cpu'].map((controller) => {
    return directoriesIn(`${ROOT}/${controller}`, controller, container).find((path) => existsSync(path))
  })
  if (memory !== undefined && pids !== undefined && cpu !== undefined)
    return versionOne({ memory, pids, cpu })
  const scope = `${ROOT}/system.slice/docker-${container}.scope`
  const two = [...directoriesIn(ROOT, '', container), scope].find((path) => existsSync(`${path}/memory.max`))
  return two === undefined ? undefined : versionTwo(two)
}

/** Where a container's group can be in one hierarchy. @param controller '' for version 2 */
function directoriesIn(hierarchy: string, controller: string, container: string): string[] {
  // A worker's group can have another path in each hierarchy. It has a folder of its own for the sandboxes of its process driver.
  const own = `${hierarchy}/${ownGroup(controller) ?? ''}`
  const makers = folders(own).filter((name) => name.startsWith('isopod-'))
  return [`${hierarchy}/docker/${container}`, ...makers.map((folder) => `${own}/${folder}/${container}`)]
}

/** The control group of this process, which its workers have too. @param controller '' for version 2 */
function ownGroup(controller: string): string | undefined {
  const path = new RegExp(`^\\d+:${controller}:/?(.*)$`, 'm').exec(read('/proc/self/cgroup') ?? '')?.[1]
  // With version 2, a worker moves the processes of its group there.
  return path?.replace(/\/?isopod-worker$/, '')
}

function versionOne({ memory, pids, cpu }: Record<'memory' | 'pids' | 'cpu', string>): ContainerGroup {
  return {
    tasks: () => number(`${pids}/pids.current`),
    read() {
      if (!existsSync(`${pids}/pids.max`)) return undefined
      const quota = number(`${cpu}/cpu.cfs_quota_us`)
      const period = number(`${cpu}/cpu.cfs_period_us`)
      return {
        memoryLimit: number(`${memory}/memory.limit_in_bytes`),
        memoryPeak: number(`${memory}/memory.max_usage_in_bytes`),
        pidsLimit: number(`${pids}/pids.max`),
        pids: number(`${pids}/pids.current`),
        cpus: quota === undefined || period === undefined ? undefined : quota / period,
        processes: numbers(`${pids}/cgroup.procs`),
        below: [memory, pids, cpu].flatMap((folder) => folders(folder)),
      }
    },
  }
}

function versionTwo(path: string): ContainerGroup {
  return {
    tasks: () => number(`${path}/pids.current`),
    read() {
      if (!existsSync(`${path}/pids.max`)) return undefined
      const [quota, period] = numbers(`${path}/cpu.max`)
      return {
        memoryLimit: number(`${path}/memory.max`),
        memoryPeak: number(`${path}/memory.peak`),
        pidsLimit: number(`${path}/pids.max`),
        pids: number(`${path}/pids.current`),
        cpus: quota === undefined || period === undefined ? undefined : quota / period,
        processes: numbers(`${path}/cgroup.procs`),
        below: folders(path),
      }
    },
  }
}

function number(path: string): number | undefined {
  const text = read(path)?.trim()
  if (text === undefined || text === '') return undefined
  return text === 'max' ? Number.POSITIVE_INFINITY : Number(text)
}

function numbers(path: string): number[] {
  return (read(path) ?? '')
    .split(/\s+/)
    .filter((word) => /^\d+$/.test(word))
    .map(Number)
}

function folders(path: string): string[] {
  if (!existsSync(path)) return []
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  } catch {
    return []
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

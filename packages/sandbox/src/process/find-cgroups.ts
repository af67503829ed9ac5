import { randomBytes } from 'node:crypto'
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { TerminalError } from '@isopod/protocol'
import { CgroupTree, UNIFIED_CONTROLLERS } from './cgroup-tree.ts'

/** Folder of the worker's own processes: version 2 lets no cgroup have both processes and limited children. */
const LEAF = 'isopod-worker'
/** Name of the cgroup that holds those of one worker's sandboxes, below the worker's own; a worker removes nothing of another. */
const folderName = () => `isopod-${randomBytes(4).toString('hex')}`
/** Controllers without which no program may run: nothing would bound it. */
const NEEDED = {
  1: ['memory', 'pids', 'cpu', 'cpuacct'],
  2: ['memory', 'pids', 'cpu'],
} as const

/** A mounted hierarchy of cgroups: controllers of version 1, or `''` for version 2. */
export interface CgroupMount {
  readonly point: string
  /** Path in the hierarchy that is mounted there. */
  readonly root: string
  readonly controllers: readonly string[]
  readonly version: 1 | 2
}

/**
 * Prepares the cgroup below which this worker makes those of its sandboxes: its own, which systemd, a pod or root gave it.
 *
 * @throws {TerminalError} that names what is missing: a controller, or the right to use it
 */
export function findCgroups(): CgroupTree {
  const mounts = parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'))
  const paths = parsePaths(readFileSync('/proc/self/cgroup', 'utf8'))
  const unified = mounts.find(({ version }) => version === 2)
  // A worker that another one's user starts may be where that one has moved to.
  const own = unified && directoryOf(unified, paths.get(''))?.replace(new RegExp(`/${LEAF}$`), '')
  const folder = folderName()
  if (own !== undefined && offers(own)) return unifiedTree(own, folder)
  const bases = new Map<string, string>()
  for (const controller of NEEDED[1]) {
    const mount = mounts.find(({ controllers }) => controllers.includes(controller))
    if (mount === undefined) throw missing(controller)
    bases.set(controller, makeBase(directoryOf(mount, paths.get(controller)), folder, controller))
  }
  const cpuset = mounts.find(({ controllers }) => controllers.includes('cpuset'))
  const views =
    cpuset === undefined ? {} : { cpuset: makeView(directoryOf(cpuset, paths.get('cpuset')), folder) }
  return new CgroupTree(1, bases, views)
}

function offers(directory: string): boolean {
  const offered = readFileSync(`${directory}/cgroup.controllers`, 'utf8').trim().split(' ')
  return NEEDED[2].every((controller) => offered.includes(controller))
}

function unifiedTree(own: string, folder: string): CgroupTree {
  const leaf = `${own}/${LEAF}`
  const base = `${own}/${folder}`
  try {
    mkdirSync(base, { recursive: true })
    // The root of a hierarchy may have both; every other cgroup has to be left first.
    if (!tryWrite(`${own}/cgroup.subtree_control`, UNIFIED_CONTROLLERS)) {
      mkdirSync(leaf, { recursive: true })
      for (const pid of processesOf(own)) tryWrite(`${leaf}/cgroup.procs`, pid)
      writeFileSync(`${own}/cgroup.subtree_control`, UNIFIED_CONTROLLERS)
    }
    writeFileSync(`${base}/cgroup.subtree_control`, UNIFIED_CONTROLLERS)
    return new CgroupTree(2, new Map(NEEDED[2].map((controller) => [controller, base])))
  } catch (cause) {
    throw unusable(own, cause)
  }
}

function makeBase(own: string, folder: string, controller: string): string {
  const base = `${own}/${folder}`
  try {
    mkdirSync(base, { recursive: true })
    accessSync(base, constants.W_OK)
    // Otherwise limits of the sandboxes together would not count, on kernels where that is a choice.
    if (controller === 'memory' && readdirSync(base).includes('memory.use_hierarchy')) {
      tryWrite(`${base}/memory.use_hierarchy`, '1')
    }
    return base
  } catch (cause) {
    throw unusable(own, cause)
  }
}

/** A cgroup that no process joins: Java looks for its limits only where it finds this controller, too. */
function makeView(own: string, folder: string): string {
  const view = `${own}/${folder}`
  mkdirSync(view, { recursive: true })
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    tryWrite(`${view}/${file}`, readFileSync(`${own}/${file}`, 'utf8').trim())
  }
  return view
}

function processesOf(directory: string): string[] {
  return readFileSync(`${directory}/cgroup.procs`, 'utf8').split('\n').filter(Boolean)
}

function tryWrite(path: string, text: string): boolean {
  try {
    writeFileSync(path, text)
    return true
  } catch {
    return false
  }
}

function missing(controller: string): TerminalError {
  return new TerminalError(
    `the process driver needs the cgroup controller ${controller}, which this host does not offer to the worker`,
  )
}

function unusable(directory: string, cause: unknown): TerminalError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new TerminalError(
    `the process driver cannot make cgroups in ${directory} (${reason}); run the worker as root, with Delegate=yes below systemd, or in a pod with a cgroup of its own`,
    { cause },
  )
}

/** Where a process with this path finds its own cgroup. */
export function directoryOf({ point, root }: CgroupMount, path = '/'): string {
  const folder = root === '/' ? '' : root
  // A path outside of what is mounted, as in a container that shares its host's namespace of cgroups: the mount is its own.
  const isInside = path.startsWith(`${folder}/`) && !path.startsWith(`${folder}/..`)
  return `${point}${isInside && path !== '/' ? path.slice(folder.length) : ''}`
}

/** The cgroup mounts of a process. @param text /proc/PID/mountinfo */
export function parseMounts(text: string): CgroupMount[] {
  return text.split('\n').flatMap((line): CgroupMount[] => {
    const [before = '', after = ''] = line.split(' - ')
    const [, , , root = '/', point = ''] = before.split(' ')
    const [type, , options = ''] = after.split(' ')
    if (type === 'cgroup2') return [{ point, root, controllers: [], version: 2 }]
    return type === 'cgroup' ? [{ point, root, controllers: options.split(','), version: 1 }] : []
  })
}

/** The paths of a process by controller, '' for version 2. @param text /proc/PID/cgroup */
export function parsePaths(text: string): Map<string, string> {
  const paths = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, names, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (names === undefined || path === undefined) continue
    for (const name of names.split(',')) paths.set(name, path)
  }
  return paths
}

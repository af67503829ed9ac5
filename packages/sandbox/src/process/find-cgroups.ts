import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { TerminalError } from '@isopod/protocol'
import { tryWriteFile } from './cgroup-files.ts'
import { CgroupTree, FOLDER_PREFIX, UNIFIED_CONTROLLERS } from './cgroup-tree.ts'

/** Folder of the worker's own processes: version 2 lets no cgroup have both processes and limited children. */
export const LEAF = 'isopod-worker'
/** Name of the cgroup that holds those of one worker's sandboxes, below the worker's own; a worker removes nothing of another. */
const folderName = () => `${FOLDER_PREFIX}${randomBytes(4).toString('hex')}`
/** Controllers without which no program may run: nothing would bound it. */
const NEEDED = {
  1: ['memory', 'pids', 'cpu', 'cpuacct'],
  2: ['memory', 'pids', 'cpu'],
} as const

const REMEDY =
  'run the worker as root, in a unit with Delegate=yes (of a user: Delegate=cpu cpuset io memory pids in user@.service), or in a pod with a cgroup of its own'

/** A mounted hierarchy of cgroups: controllers of version 1, or `''` for version 2. */
export interface CgroupMount {
  readonly point: string
  /** Path in the hierarchy that is mounted there. */
  readonly root: string
  readonly controllers: readonly string[]
  readonly version: 1 | 2
  readonly isReadOnly: boolean
}

/**
 * Prepares the cgroup below which this worker makes those of its sandboxes: its own, which systemd, a pod or root gave it.
 *
 * @throws {TerminalError} that names what is missing: a controller, or the right to use it
 */
export function findCgroups(): CgroupTree {
  const mounts = parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'))
  const paths = parsePaths(readFileSync('/proc/self/cgroup', 'utf8'))
  for (const { point, isReadOnly } of mounts) if (isReadOnly) makeWritable(point)
  const unified = mounts.find(({ version }) => version === 2)
  // A worker that another one's user starts may be where that one has moved to.
  const own = unified && directoryOf(unified, paths.get(''))?.replace(new RegExp(`/${LEAF}$`), '')
  const folder = folderName()
  if (own !== undefined && offers(own)) return unifiedTree(own, folder)
  const bases = new Map<string, string>()
  for (const controller of NEEDED[1]) {
    const mount = mounts.find(({ controllers }) => controllers.includes(controller))
    if (mount === undefined) throw missing(controller)
    bases.set(controller, `${directoryOf(mount, paths.get(controller))}/${folder}`)
  }
  // Java looks for its limits only where it finds this controller, too.
  const cpuset = mounts.find(({ controllers }) => controllers.includes('cpuset'))
  const views =
    cpuset === undefined ? undefined : { cpuset: `${directoryOf(cpuset, paths.get('cpuset'))}/${folder}` }
  return tried(new CgroupTree(1, bases, views), dirname(bases.get('memory') ?? ''))
}

/**
 * Checks, without a change, that {@link findCgroups} can work.
 *
 * @returns the version of cgroups, and where sandboxes get theirs
 * @throws {TerminalError} as it does
 */
export function checkCgroups(): string {
  const mounts = parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'))
  const paths = parsePaths(readFileSync('/proc/self/cgroup', 'utf8'))
  const unified = mounts.find(({ version }) => version === 2)
  const own = unified && directoryOf(unified, paths.get(''))?.replace(new RegExp(`/${LEAF}$`), '')
  if (unified !== undefined && own !== undefined && offers(own)) {
    checkWritable(unified, own)
    return `v2 in ${own}`
  }
  for (const controller of NEEDED[1]) {
    const mount = mounts.find(({ controllers }) => controllers.includes(controller))
    if (mount === undefined) throw missing(controller)
    checkWritable(mount, directoryOf(mount, paths.get(controller)))
  }
  return `v1 with ${NEEDED[1].join(', ')}`
}

function checkWritable({ isReadOnly }: CgroupMount, directory: string): void {
  // Root may be able to change that at the start.
  if (isReadOnly && process.getuid?.() === 0) return
  try {
    accessSync(directory, constants.W_OK)
  } catch (cause) {
    throw unusable(directory, cause)
  }
}

/**
 * Engines mount the cgroups of a container read-only. A worker with CAP_SYS_ADMIN changes that for itself; without it, the error that
 * follows names the directory.
 */
function makeWritable(point: string): void {
  try {
    execFileSync('mount', ['-o', 'remount,bind,rw,nosuid,nodev,noexec', point], { stdio: 'ignore' })
  } catch {
    // Making the first cgroup fails, too.
  }
}

function offers(directory: string): boolean {
  const offered = readFileSync(`${directory}/cgroup.controllers`, 'utf8').trim().split(' ')
  return NEEDED[2].every((controller) => offered.includes(controller))
}

function unifiedTree(own: string, folder: string): CgroupTree {
  const leaf = `${own}/${LEAF}`
  try {
    // The root of a hierarchy may have both; every other cgroup has to be left first.
    if (!tryWriteFile(`${own}/cgroup.subtree_control`, UNIFIED_CONTROLLERS)) {
      mkdirSync(leaf, { recursive: true })
      for (const pid of processesOf(own)) tryWriteFile(`${leaf}/cgroup.procs`, pid)
      writeFileSync(`${own}/cgroup.subtree_control`, UNIFIED_CONTROLLERS)
    }
  } catch (cause) {
    throw unusable(own, cause)
  }
  return tried(
    new CgroupTree(2, new Map(NEEDED[2].map((controller) => [controller, `${own}/${folder}`]))),
    own,
  )
}

/** A tree whose directories this worker can make; it makes them again with its first sandbox. */
function tried(tree: CgroupTree, own: string): CgroupTree {
  try {
    tree.ensure()
    return tree
  } catch (cause) {
    throw unusable(own, cause)
  } finally {
    tree.close()
  }
}

function processesOf(directory: string): string[] {
  return readFileSync(`${directory}/cgroup.procs`, 'utf8').split('\n').filter(Boolean)
}

function missing(controller: string): TerminalError {
  return new TerminalError(
    `the process driver needs the cgroup controller ${controller}, which this host does not offer to the worker; ${REMEDY}`,
  )
}

function unusable(directory: string, cause: unknown): TerminalError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new TerminalError(`the process driver cannot make cgroups in ${directory} (${reason}); ${REMEDY}`, {
    cause,
  })
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
    const [, , , root = '/', point = '', flags = ''] = before.split(' ')
    const [type, , options = ''] = after.split(' ')
    const isReadOnly = flags.split(',').includes('ro')
    if (type === 'cgroup2') return [{ point, root, controllers: [], version: 2, isReadOnly }]
    if (type !== 'cgroup') return []
    return [{ point, root, controllers: options.split(','), version: 1, isReadOnly }]
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

import {
  HOST_NAME,
  INIT_DIRECTORY,
  INIT_PATH,
  inodesOf,
  MASKED_PATHS,
  MEMLOCK_BYTES,
  openFilesOf,
  READONLY_PATHS,
  SHM_BYTES,
  tmpBytes,
  WORKSPACE,
  workspaceBytes,
} from '../driver/confinement.ts'
import type { ContainerLimits } from '../driver/container-kind.ts'
import type { User } from '../driver/users.ts'
import type { Cgroup } from './cgroup-tree.ts'

/** Numbers of the kernel's limits (asm-generic/resource.h). */
const LIMIT = { core: 4, openFiles: 7, lockedMemory: 8, messageQueues: 12 } as const

/** What a program finds in /dev, as under Docker, but no terminals: it never has one. */
export const DEVICES = [
  '/dev/null',
  '/dev/zero',
  '/dev/full',
  '/dev/random',
  '/dev/urandom',
  '/dev/tty',
] as const
const DEV_LINKS = [
  ['/proc/self/fd', '/dev/fd'],
  ['/proc/self/fd/0', '/dev/stdin'],
  ['/proc/self/fd/1', '/dev/stdout'],
  ['/proc/self/fd/2', '/dev/stderr'],
] as const
const DEV_SIZE = 'size=64k,nr_inodes=32,mode=0755'
const EMPTY_SIZE = 'size=4k,nr_inodes=1,mode=0755'
const SYS_SIZE = 'size=64k,nr_inodes=32,mode=0755'

/** The namespaces that a sandbox makes in its first steps; it begins as the first process of one of processes. */
const FIRST_NAMESPACES = ['mount', 'network', 'ipc', 'uts', 'cgroup'] as const
/** The last one, in which it has no right to the others. */
const LAST_NAMESPACE = 'user'

/** The namespaces that each sandbox has of its own. */
export const OWN_NAMESPACES = ['mount', 'network', 'user', 'pid', 'ipc', 'uts', 'cgroup'] as const

/** What every sandbox of one host has in common. */
export interface HostPaths {
  /** Directory that holds init, and only it. */
  readonly init: string
  /** Empty directory on which each sandbox mounts its root; the mounts are private to the sandbox. */
  readonly stage: string
  /** Another empty directory: an overlay needs two to be read-only. */
  readonly empty: string
  /** Paths of /proc that this kernel has and that no program may see, or change. */
  readonly covers: {
    readonly files: readonly string[]
    readonly directories: readonly string[]
    readonly readOnly: readonly string[]
  }
}

/** Everything that decides how one sandbox is made. */
export interface SandboxPlan {
  readonly limits: ContainerLimits
  readonly user: User
  /** Directory with the files of the language. */
  readonly root: string
  /** File with the compiled seccomp profile. */
  readonly filter: string
  /** Files of the root that init opens at its start. */
  readonly opens: readonly string[]
  readonly cgroup: Pick<Cgroup, 'bindings'>
}

/** The first steps of every sandbox, which need not wait for a job: joining cgroups can take the kernel 20 ms. */
export function firstSteps({ doors }: Pick<Cgroup, 'doors'>): string[] {
  return [
    // First, so that everything that follows is counted.
    ...doors.flatMap((door) => step('cgroup', door)),
    // Mounts that only this sandbox sees, a network with nothing but loopback, and the like.
    ...step('unshare', FIRST_NAMESPACES.join()),
  ]
}

/**
 * The further steps by which the spawner makes one sandbox: a pure function, so that each can be asserted without a kernel. The last
 * one becomes init.
 */
export function sandboxSteps(host: HostPaths, plan: SandboxPlan): string[] {
  const { limits, user, opens, filter } = plan
  return [
    ...step('filter', filter),
    ...fileSystems(host, plan),
    ...procFileSystem(host),
    // No core files; descriptors as under Docker; enough locked memory for init's own text; no POSIX queues.
    ...step('limit', LIMIT.core, 0),
    ...step('limit', LIMIT.openFiles, openFilesOf(limits)),
    ...step('limit', LIMIT.lockedMemory, MEMLOCK_BYTES),
    ...step('limit', LIMIT.messageQueues, 0),
    // The same name everywhere, so that a program learns nothing about the host.
    ...step('hostname', HOST_NAME),
    ...step('root', host.stage),
    ...step('user', user.uid, user.gid),
    ...step('unshare', LAST_NAMESPACE),
    ...step('drop-capabilities'),
    '--',
    INIT_PATH,
    // Files that it opens ahead, so that the program finds them faster.
    ...opens,
    // The end of the command.
    '',
  ]
}

function fileSystems(host: HostPaths, { limits, user, root, cgroup }: SandboxPlan): string[] {
  const at = (path: string) => `${host.stage}${path}`
  return [
    // An overlay, because locks on the files of a plain directory would reach the neighbours.
    ...step('overlay', root, host.empty, host.stage),
    ...step('bind', host.init, at(INIT_DIRECTORY), 'readonly'),
    ...step('tmpfs', at(WORKSPACE), sizeOf(workspaceBytes(limits.diskMb), user), 'exec'),
    ...step('tmpfs', at('/tmp'), sizeOf(tmpBytes(limits.diskMb), user), 'exec'),
    ...step('tmpfs', at('/dev'), DEV_SIZE, 'noexec,device'),
    ...DEVICES.flatMap((path) => step('device', path, at(path))),
    ...DEV_LINKS.flatMap(([target, path]) => step('link', target, at(path))),
    ...step('directory', at('/dev/shm')),
    ...step('tmpfs', at('/dev/shm'), sizeOf(SHM_BYTES, user), 'noexec'),
    ...step('restrict', at('/dev'), 'readonly,noexec,device'),
    // The sandbox's own cgroup, in which init reads its limits, and nothing else of /sys.
    ...step('tmpfs', at('/sys'), SYS_SIZE, 'noexec'),
    ...step('directory', at('/sys/fs')),
    ...step('directory', at('/sys/fs/cgroup')),
    ...cgroup.bindings.flatMap(({ source, target }) => [
      ...(target === '/sys/fs/cgroup' ? [] : step('directory', at(target))),
      ...step('bind', source, at(target), 'readonly,noexec'),
    ]),
    ...step('restrict', at('/sys'), 'readonly,noexec'),
  ]
}

/** Shows the sandbox's own processes, and nothing that tells of the host or changes it. */
function procFileSystem({ stage, covers }: HostPaths): string[] {
  const at = (path: string) => `${stage}${path}`
  return [
    ...step('proc', at('/proc')),
    // First: some masked files are below these.
    ...covers.readOnly.flatMap((path) => step('bind', at(path), at(path), 'readonly,noexec')),
    ...covers.files.flatMap((path) => step('bind', at('/dev/null'), at(path), 'readonly,noexec')),
    ...covers.directories.flatMap((path) => step('tmpfs', at(path), EMPTY_SIZE, 'readonly,noexec')),
  ]
}

function step(word: string, ...values: (string | number)[]): string[] {
  return [word, ...values.map(String)]
}

function sizeOf(bytes: number, { uid, gid }: User): string {
  return `size=${bytes},nr_inodes=${inodesOf(bytes)},uid=${uid},gid=${gid},mode=0700`
}

/** The paths of /proc that a sandbox may not see as they are, or not change, as far as this kernel has them. */
export function coveredPaths(
  kindOf: (path: string) => 'file' | 'directory' | undefined,
): HostPaths['covers'] {
  const inProc = (paths: readonly string[]) =>
    paths.filter((path) => path.startsWith('/proc/') && kindOf(path) !== undefined)
  const masked = (kind: 'file' | 'directory') => inProc(MASKED_PATHS).filter((path) => kindOf(path) === kind)
  return { files: masked('file'), directories: masked('directory'), readOnly: inProc(READONLY_PATHS) }
}

import { execFile } from 'node:child_process'
import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { ConfigError, TerminalError } from '@isopod/protocol'
import { MEMLOCK_BYTES } from '../driver/confinement.ts'
import { ownedName } from '../owned-name.ts'
import { checkCgroups } from './find-cgroups.ts'

/** Any user that is not root. */
const SOME_USER = 65_534
/** The kernel's limit for the path of a socket, 107 bytes, without `/records/spawner-<16 digits>.sock.new`. */
export const MAX_STATE_BYTES = 65
const OTHERS_WRITE = 0o022
/** What a filter does to a call that it refuses. */
const SECCOMP_ACTIONS = ['errno', 'kill_process'] as const

/** The capability to raise hard limits. */
const CAP_SYS_RESOURCE = 1n << 24n

/** What is checked, and how. */
export interface HostCheckOptions {
  /** Directory of what the driver knows of its sandboxes. */
  readonly state: string
}

/** One thing that the process driver needs of its host. */
export interface HostCheck {
  /** What is checked, in one word. */
  readonly subject: string
  /**
   * @returns what was found
   * @throws {TerminalError} or {@link ConfigError}: a sentence that says what is missing and what to do
   */
  readonly run: (options: HostCheckOptions) => Promise<string> | string
}

/** Everything that the process driver needs of its host: a worker refuses to start without one of these, and doctor names each. */
export const HOST_CHECKS: readonly HostCheck[] = [
  { subject: 'users', run: checkUserNamespaces },
  { subject: 'cgroups', run: checkCgroups },
  { subject: 'overlay', run: checkOverlay },
  { subject: 'seccomp', run: () => checkSeccomp() },
  { subject: 'memlock', run: () => checkLockedMemory() },
  { subject: 'state', run: ({ state }) => checkState(state) },
]

/** Makes a namespace of users, as the user of a program does; without root also the others. */
async function checkUserNamespaces(): Promise<string> {
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: SOME_USER, gid: SOME_USER } : {}
  const others = isRoot ? [] : ['--map-root-user', '--mount', '--net', '--ipc', '--uts', '--cgroup', '--pid']
  await unshare(['--user', ...others, '--fork', 'true'], user).catch((cause: unknown) => {
    if (cause instanceof TerminalError) throw cause
    throw new TerminalError(
      `users that are not root cannot make namespaces here: ${namespaceRemedy(readSysctl, messageOf(cause))}`,
      { cause },
    )
  })
  return 'can make user namespaces'
}

/** Runs a program in new namespaces. @throws {TerminalError} if util-linux is not installed; the program's error */
async function unshare(words: readonly string[], user: { uid?: number; gid?: number } = {}): Promise<void> {
  await promisify(execFile)('unshare', words, { ...user, cwd: '/' }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause
    throw new TerminalError('the process driver needs unshare; install the package util-linux', { cause })
  })
}

/** What to change so that users can make namespaces. @param read value of a sysctl, undefined if this kernel lacks it */
export function namespaceRemedy(read: (name: string) => string | undefined, message: string): string {
  if (read('kernel.unprivileged_userns_clone') === '0') return 'run sysctl kernel.unprivileged_userns_clone=1'
  if (read('user.max_user_namespaces') === '0') return 'run sysctl user.max_user_namespaces=10000'
  if (read('kernel.apparmor_restrict_unprivileged_userns') === '1') {
    return `run sysctl kernel.apparmor_restrict_unprivileged_userns=0, or give unshare and isopod-spawner AppArmor profiles that allow userns`
  }
  return `${message}; in a container, allow it mount and unshare (its seccomp and AppArmor profiles)`
}

/** Mounts the kind of file system on which a sandbox's root is. It needs no directory to write to. */
async function checkOverlay(): Promise<string> {
  const rights = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const mount = ['mount', '-t', 'overlay', 'overlay', '-o', 'ro,lowerdir=/usr/share:/usr/lib', '/usr/share']
  await unshare(['--mount', ...rights, '--', ...mount]).catch((cause: unknown) => {
    if (cause instanceof TerminalError) throw cause
    const remedy = 'load the module with "modprobe overlay"; in a container, give it CAP_SYS_ADMIN'
    throw new TerminalError(`the kernel mounts no overlay (${messageOf(cause)}); ${remedy}`, { cause })
  })
  return 'can be mounted'
}

/** @param available actions of the kernel, separated by spaces; undefined if it has no filters */
export function checkSeccomp(available = readSysctl('kernel.seccomp.actions_avail')): string {
  const actions = available?.split(' ') ?? []
  const missing = SECCOMP_ACTIONS.filter((action) => !actions.includes(action))
  if (missing.length === 0) return 'filters are available'
  throw new TerminalError(
    `the kernel lacks the seccomp action ${missing.join(', ')}; use a kernel from 4.14 on with CONFIG_SECCOMP_FILTER`,
  )
}

/**
 * Checks that a sandbox can get its limit of locked memory: above the worker's own hard limit, only with a capability.
 *
 * @param limits /proc/self/limits
 * @param status /proc/self/status
 * @throws {TerminalError} if it cannot
 */
export function checkLockedMemory(
  limits = readFileSync('/proc/self/limits', 'utf8'),
  status = readFileSync('/proc/self/status', 'utf8'),
): string {
  const [, hard = ''] = /^Max locked memory +\S+ +(\S+)/m.exec(limits) ?? []
  if (hard === 'unlimited' || Number(hard) >= MEMLOCK_BYTES) return 'enough memory can be locked'
  const [, effective = '0'] = /^CapEff:\s+([0-9a-f]+)/m.exec(status) ?? []
  if ((BigInt(`0x${effective}`) & CAP_SYS_RESOURCE) !== 0n) return 'the limit of locked memory can be raised'
  throw new TerminalError(
    `the hard limit of locked memory is ${hard} bytes, and sandboxes have ${MEMLOCK_BYTES}; set LimitMEMLOCK=1M in the unit of the worker, or of the engine that starts its container`,
  )
}

/** @throws {ConfigError} if others could change the state directory, or it cannot be made or written */
export function checkState(state: string): string {
  if (!isAbsolute(state)) throw stateError('must be an absolute path', state)
  if (Buffer.byteLength(state) > MAX_STATE_BYTES) {
    throw stateError(`must have at most ${MAX_STATE_BYTES} bytes, because sockets are in it`, state)
  }
  const found = statSync(state, { throwIfNoEntry: false })
  const uid = process.getuid?.() ?? 0
  if (found === undefined) return checkParent(state, dirname(state))
  if (!found.isDirectory()) throw stateError('must be a directory', state)
  if (found.uid !== uid) {
    throw stateError(`must belong to the worker's user (${uid}), but it belongs to user ${found.uid}`, state)
  }
  const entries = readdirSync(state)
  const foreign = entries.find((name) => lstatSync(join(state, name), { throwIfNoEntry: false })?.uid !== uid)
  if (foreign !== undefined) throw stateError(`contains ${foreign}, which belongs to another user`, state)
  // An empty one is made private at the start: a tmpfs of a container begins like this.
  if (entries.length > 0 && (found.mode & OTHERS_WRITE) !== 0)
    throw stateError('must not be writable for others', state)
  tryWriting(state)
  return state
}

function tryWriting(state: string): void {
  const file = join(state, ownedName('check'))
  try {
    writeFileSync(file, file)
  } catch (cause) {
    throw stateError(`cannot be written (${(cause as Error).message})`, state, cause)
  } finally {
    rmSync(file, { force: true })
  }
}

/** Checks that a directory that is not there can be made. */
function checkParent(state: string, parent: string): string {
  const found = statSync(parent, { throwIfNoEntry: false })
  if (found === undefined && parent !== dirname(parent)) return checkParent(state, dirname(parent))
  try {
    accessSync(parent, constants.W_OK | constants.X_OK)
    return `${state}, made at the first start`
  } catch (cause) {
    throw stateError(`cannot be made, because this user may not write to ${parent}`, state, cause)
  }
}

/** The error of a state directory that cannot be used. @param rule for example `must be a directory` */
export function stateError(rule: string, state: string, cause?: unknown): ConfigError {
  return new ConfigError(
    `ISOPOD_SANDBOX_STATE_DIR: ${rule}; choose a directory of the worker's user, got ${state}`,
    { cause },
  )
}

function readSysctl(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** What the program printed, else why it did not start. */
function messageOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string }
  return (stderr?.trim() || message).split('\n').at(-1) ?? ''
}

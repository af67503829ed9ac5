import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SetupError } from './setup-error.ts'

/** The checkout that contains this package; `src` and `dist` are equally deep. */
export const CHECKOUT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))

/** The roots of a host where Isopod is installed as packages. */
const SYSTEM_ROOTS = '/var/lib/isopod/roots'

/** Paths of one stack. Two checkouts share none of them. */
export interface Paths {
  /**
   * Hash of the state directory's path, 8 hexadecimal digits; part of the runtime directory's name, and a label of
   * containers.
   */
  readonly id: string
  /** Data, logs and the record; survives a reboot. `.isopod` in the checkout, or `ISOPOD_STATE_DIR`. */
  readonly state: string
  /** Sockets and pid files, whose paths must be short. Only the owner can read it. */
  readonly runtime: string
  readonly record: string
  /** Lock for starting and stopping services and workers. */
  readonly lock: string
  /** Folder with one lock per image that is being built, so that only processes that need the image wait. */
  readonly imageLocks: string
  readonly logs: string
  readonly redis: string
  readonly docker: string
  readonly containerd: string
  /** gVisor's program, if the machine has none. */
  readonly runsc: string
  /** Language roots of the process driver. `ISOPOD_ROOTS_DIR`, or in `state`; `/var/lib/isopod/roots` without a checkout. */
  readonly roots: string
  /** Images of the process driver's roots, and what else buildah keeps. */
  readonly buildah: string
  /** Archive of the base image, if `scripts/demo.mjs` has made one while packages were installed. Used once. */
  readonly baseArchive: string
  /**
   * What workers of this stack with the process driver know of their sandboxes. Programs' users must reach it, so it is not in
   * `state` or `runtime`.
   */
  readonly sandboxes: string
  /** Temporary files of tools. `stackDown` removes mounts in it. */
  readonly scratch: string
}

/** Computes the paths of the stack that `env` selects. */
export function stackPaths(env: NodeJS.ProcessEnv = process.env): Paths {
  const state = resolve(env['ISOPOD_STATE_DIR'] || join(CHECKOUT, '.isopod'))
  const id = createHash('sha256').update(state).digest('hex').slice(0, 8)
  const runtime = join(runtimeRoot(env), `isopod-${id}`)
  return {
    id,
    state,
    runtime,
    record: join(state, 'stack.json'),
    lock: join(state, 'lock'),
    imageLocks: join(state, 'image-locks'),
    logs: join(state, 'logs'),
    redis: join(state, 'redis'),
    docker: join(state, 'docker'),
    containerd: join(state, 'containerd'),
    runsc: join(state, 'runsc'),
    roots: resolve(env['ISOPOD_ROOTS_DIR'] || (isCheckout() ? join(state, 'roots') : SYSTEM_ROOTS)),
    buildah: join(state, 'buildah'),
    baseArchive: join(state, 'base.tar'),
    sandboxes: `${runtime}-sandboxes`,
    scratch: join(state, 'scratch'),
  }
}

/**
 * Creates the missing directories.
 *
 * @throws {SetupError} if the runtime directory belongs to another user, or is open to others
 */
export async function makePaths(paths: Paths): Promise<void> {
  await mkdir(paths.logs, { recursive: true, mode: 0o700 })
  await mkdir(paths.runtime, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  // Its name is predictable and its parent may be world-writable, so another user may have created it.
  const found = await lstat(paths.runtime)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) {
    throw new SetupError(
      `${paths.runtime} must be a directory that only this user can enter; remove it and try again`,
    )
  }
}

/** Whether this is a checkout, as opposed to installed packages. */
function isCheckout(): boolean {
  return existsSync(join(CHECKOUT, 'deploy', 'images'))
}

function runtimeRoot(env: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0 && process.platform === 'linux') return '/run'
  return env['XDG_RUNTIME_DIR'] || tmpdir()
}

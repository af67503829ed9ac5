import { createHash } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SetupError } from './setup-error.ts'

/** The checkout that contains this package; `src` and `dist` are equally deep. */
export const CHECKOUT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))

/** Where one stack keeps what; two checkouts share nothing. */
export interface Paths {
  /** 8 hexadecimal digits of the state directory's path; names the runtime directory and labels containers. */
  readonly id: string
  /** Data, logs and the record; survives a reboot. `.isopod` in the checkout, or `ISOPOD_STATE_DIR`. */
  readonly state: string
  /** Sockets and pid files, for the owner only: their paths have to be short. */
  readonly runtime: string
  readonly record: string
  /** Held while services and workers are started or stopped. */
  readonly lock: string
  /** A file for each image that is being built: only processes that need this image wait for it. */
  readonly imageLocks: string
  readonly logs: string
  readonly redis: string
  readonly docker: string
  readonly containerd: string
  /** gVisor's program, where the machine has none. */
  readonly runsc: string
  /** What a tool unpacks on the way; mounts in it are ended with the stack. */
  readonly scratch: string
}

/** Works out the paths of the stack that `env` asks for; touches nothing. */
export function stackPaths(env: NodeJS.ProcessEnv = process.env): Paths {
  const state = resolve(env['ISOPOD_STATE_DIR'] || join(CHECKOUT, '.isopod'))
  const id = createHash('sha256').update(state).digest('hex').slice(0, 8)
  return {
    id,
    state,
    runtime: join(runtimeRoot(env), `isopod-${id}`),
    record: join(state, 'stack.json'),
    lock: join(state, 'lock'),
    imageLocks: join(state, 'image-locks'),
    logs: join(state, 'logs'),
    redis: join(state, 'redis'),
    docker: join(state, 'docker'),
    containerd: join(state, 'containerd'),
    runsc: join(state, 'runsc'),
    scratch: join(state, 'scratch'),
  }
}

/**
 * Makes the directories that are missing.
 *
 * @throws {SetupError} when the runtime directory exists but belongs to another user, or is open to others
 */
export async function makePaths(paths: Paths): Promise<void> {
  await mkdir(paths.logs, { recursive: true, mode: 0o700 })
  await mkdir(paths.runtime, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  // Its name can be guessed and its parent may be world-writable, so another user may have made it first.
  const found = await lstat(paths.runtime)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) {
    throw new SetupError(
      `${paths.runtime} must be a directory that only this user can enter; remove it and try again`,
    )
  }
}

function runtimeRoot(env: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0 && process.platform === 'linux') return '/run'
  return env['XDG_RUNTIME_DIR'] || tmpdir()
}

import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { endMounts } from '../engine/leftovers.ts'
import { type Log, secondsSince } from '../log.ts'
import { stackPaths } from '../paths.ts'
import { type CommandOutcome, lastLines, withAdminPath } from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import { installPackages } from '../system-packages.ts'
import { IMAGES_FOLDER } from './image-content.ts'

/** The base image that is made here. */
export const LOCAL_BASE = 'isopod/base:trixie'

/** Options of {@link bootstrapBase}. */
export interface BootstrapOptions {
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
  /** Turns the archive of all files into an image. */
  readonly take: (tar: Readable) => Promise<CommandOutcome>
  /** Removes the image again, because the archive was incomplete. */
  readonly drop: () => Promise<unknown>
}

/**
 * Makes a bare Debian trixie from Debian's packages, with perl and no other language; or takes the archive that
 * `scripts/demo.mjs` has made.
 *
 * @throws {SetupError} with the last lines of mmdebstrap or of what took the archive
 */
export async function bootstrapBase(tag: string, options: BootstrapOptions): Promise<void> {
  const { env, log, take, drop } = options
  const startedAt = performance.now()
  if (await takeArchive(options)) return
  await installPackages(['debootstrap'], log, env)
  log(`making ${tag} from Debian's packages (20 s to 2 min)`)
  const { scratch } = stackPaths(env)
  await mkdir(scratch, { recursive: true, mode: 0o755 })
  const { execa } = await import('execa')
  const bootstrap = execa('sh', [join(IMAGES_FOLDER, 'base.sh')], {
    env: { ...withAdminPath(env), TMPDIR: scratch },
    extendEnv: false,
    stdin: 'ignore',
    buffer: { stdout: false },
    reject: false,
    detached: true,
  })
  const release = endFirst(() => endGroup(bootstrap.pid), bootstrap)
  const taken = await take(bootstrap.stdout)
  const { exitCode, stderr } = await bootstrap
  release()
  await endMounts([scratch])
  await rm(scratch, { recursive: true, force: true })
  if (exitCode !== 0) {
    // The archive may have been incomplete, and a tagged image would be used.
    await drop()
    throw new SetupError(
      `making the base image failed; the end of mmdebstrap's output:\n${lastLines(stderr, 8)}`,
    )
  }
  checkTaken(taken)
  log(`made ${tag} in ${secondsSince(startedAt)}`)
}

/** @returns whether there was an archive, which is gone now */
async function takeArchive({ env, take }: BootstrapOptions): Promise<boolean> {
  const { baseArchive } = stackPaths(env)
  const file = await open(baseArchive).catch(() => undefined)
  if (file === undefined) return false
  await rm(baseArchive, { force: true })
  checkTaken(await take(file.createReadStream()))
  return true
}

function checkTaken({ exitCode, output }: CommandOutcome): void {
  if (exitCode === 0) return
  throw new SetupError(`importing the base image failed: ${lastLines(output, 4)}`)
}

/** Ends a child with its whole process group: mmdebstrap cleans up once its parts have ended. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGTERM')
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Makes a signal that would end this process end the child first, so that it can clean up.
 *
 * @returns removes the listeners
 */
function endFirst(end: () => unknown, ended: Promise<unknown>): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const handlers = names.map((name) => {
    const handler = () => {
      end()
      void ended.finally(() => {
        release()
        // Repeats the signal, which ends this process unless there is another listener.
        if (process.listenerCount(name) === 0) process.kill(process.pid, name)
      })
    }
    process.on(name, handler)
    return [name, handler] as const
  })
  const release = () => {
    for (const [name, handler] of handlers) process.off(name, handler)
  }
  return release
}

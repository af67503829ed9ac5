import { mkdir, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { endMounts } from '../engine/leftovers.ts'
import { type Log, secondsSince } from '../log.ts'
import { stackPaths } from '../paths.ts'
import { type CommandOutcome, lastLines, withAdminPath } from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import { installPackages } from '../system-packages.ts'

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
 * Makes a bare Debian trixie from Debian's packages, with perl and no other language.
 *
 * @throws {SetupError} with the last lines of mmdebstrap or of what took the archive
 */
export async function bootstrapBase(tag: string, { env, log, take, drop }: BootstrapOptions): Promise<void> {
  const startedAt = performance.now()
  await installPackages(['debootstrap'], log, env)
  log(`making ${tag} from Debian's packages (20 s to 2 min)`)
  const { scratch } = stackPaths(env)
  await mkdir(scratch, { recursive: true, mode: 0o755 })
  const { execa } = await import('execa')
  const bootstrap = execa('mmdebstrap', bootstrapArguments(), {
    env: { ...withAdminPath(env), TMPDIR: scratch },
    extendEnv: false,
    stdin: 'ignore',
    buffer: { stdout: false },
    reject: false,
    // In its own process group: otherwise Ctrl-C would also end the parts that unmount.
    detached: true,
  })
  const release = endFirst(() => bootstrap.kill('SIGTERM'), bootstrap)
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
  if (taken.exitCode !== 0) {
    throw new SetupError(`importing the base image failed: ${lastLines(taken.output, 4)}`)
  }
  log(`made ${tag} in ${secondsSince(startedAt)}`)
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

/** Files that the registry's slim image excludes, too: manuals, translations, documentation except licences. */
const EXCLUDED = `${['doc', 'man', 'info', 'locale', 'groff', 'lintian']
  .map((folder) => `path-exclude=/usr/share/${folder}/*\\n`)
  .join('')}path-include=/usr/share/doc/*/copyright\\n`

function bootstrapArguments(): string[] {
  return [
    '--variant=minbase',
    `--aptopt=APT::Install-Recommends "false"`,
    // As in the registry's image: less to download, and no wait for the disk after each file.
    `--aptopt=Acquire::Languages "none"`,
    '--dpkgopt=force-unsafe-io',
    // As options of dpkg, they would make mmdebstrap start Python for each package, half of its time.
    `--extract-hook=printf '${EXCLUDED}' > "$1/etc/dpkg/dpkg.cfg.d/excluded"`,
    '--extract-hook=cd "$1/usr/share" && rm -rf man/* info/* locale/* groff/* lintian/*',
    '--extract-hook=find "$1/usr/share/doc" -mindepth 1 ! -type d ! -name copyright -delete',
    // Mmdebstrap copies them from this host, which programs must not learn about.
    '--customize-hook=for file in hostname resolv.conf; do : > "$1/etc/$file"; done',
    'trixie',
    '-',
  ]
}

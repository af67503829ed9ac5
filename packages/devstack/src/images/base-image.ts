import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryDocker } from '../engine/docker-cli.ts'
import type { EngineService } from '../engine/engine-service.ts'
import { endMounts } from '../engine/leftovers.ts'
import { withLock } from '../lock.ts'
import { type Log, secondsSince } from '../log.ts'
import { stackPaths } from '../paths.ts'
import { lastLines, withAdminPath } from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import { installPackages } from '../system-packages.ts'
import { findImage, localImages } from './image-list.ts'

const REGISTRY_BASE = 'debian:trixie-slim'
const LOCAL_BASE = 'isopod/base:trixie'
/** Timeout of a registry's first answer, in milliseconds. */
const FIRST_ANSWER_MS = 10_000
const PULL_MS = 180_000

/** The base of all other images. */
export interface BaseImage {
  readonly tag: string
  readonly id: string
}

/** The base image that an engine already has: Debian's from a registry, or one that was built here. */
export async function localBase(engine: EngineService): Promise<BaseImage | undefined> {
  const images = await localImages(engine.dockerHost)
  for (const tag of [REGISTRY_BASE, LOCAL_BASE]) {
    const found = findImage(images, tag)
    if (found) return { tag, id: found.id }
  }
  return undefined
}

/**
 * Provides a bare Debian trixie, which has perl and no other language: the engine's, else pulled, else built from Debian's
 * packages.
 *
 * @throws {SetupError} if neither a registry nor a package archive responds
 */
export async function baseImage(
  engine: EngineService,
  { env, log }: { env: NodeJS.ProcessEnv; log: Log },
): Promise<BaseImage> {
  const local = await localBase(engine)
  if (local) return local
  const made = await withLock(
    join(stackPaths(env).imageLocks, 'base'),
    async () => {
      const meanwhile = await localBase(engine)
      if (meanwhile) return meanwhile
      if (!(await pullImage(engine, REGISTRY_BASE, { env, log }))) await makeBase(engine, { env, log })
      return await localBase(engine)
    },
    { log },
  )
  if (made) return made
  throw new SetupError(`the engine at ${engine.dockerHost} does not keep the base image that it was given`)
}

/**
 * Pulls an image. Gives up if the registry does not respond within 10 s.
 *
 * @returns whether the image was pulled
 */
export async function pullImage(
  engine: EngineService,
  tag: string,
  { env, log }: { env: NodeJS.ProcessEnv; log: Log },
): Promise<boolean> {
  const startedAt = performance.now()
  const giveUp = new AbortController()
  let hasAnswered = false
  void sleep(FIRST_ANSWER_MS, undefined, { ref: false }).then(() => hasAnswered || giveUp.abort())
  const { exitCode } = await tryDocker(engine, ['pull', tag], {
    env,
    signal: giveUp.signal,
    deadlineMs: PULL_MS,
    onOutput: (text) => {
      if (/Pulling fs layer|Already exists|Download/.test(text)) hasAnswered = true
    },
  })
  if (exitCode === 0) log(`pulled ${tag} in ${secondsSince(startedAt)}`)
  return exitCode === 0
}

async function makeBase(
  engine: EngineService,
  { env, log }: { env: NodeJS.ProcessEnv; log: Log },
): Promise<void> {
  const startedAt = performance.now()
  if (process.platform !== 'linux') {
    throw new SetupError(
      `${REGISTRY_BASE} cannot be pulled; connect to a registry, or load that image, and try again`,
    )
  }
  await installPackages(['debootstrap'], log, env)
  log(`no registry in reach: making a base image from Debian's packages (20 s to 2 min)`)
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
  const imported = await tryDocker(
    engine,
    ['import', '--change', 'CMD ["bash"]', '--change', 'LABEL isopod.content=base', '-', LOCAL_BASE],
    { env, input: bootstrap.stdout },
  )
  const { exitCode, stderr } = await bootstrap
  release()
  await endMounts([scratch])
  await rm(scratch, { recursive: true, force: true })
  if (exitCode !== 0) {
    // The import may have been incomplete, and a tagged image would be used.
    await tryDocker(engine, ['rmi', LOCAL_BASE], { env })
    throw new SetupError(
      `making the base image failed; the end of mmdebstrap's output:\n${lastLines(stderr, 8)}`,
    )
  }
  if (imported.exitCode !== 0) {
    throw new SetupError(`importing the base image failed: ${lastLines(imported.output, 4)}`)
  }
  log(`made ${LOCAL_BASE} in ${secondsSince(startedAt)}`)
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

/** Excludes the same files as the registry's slim image: manuals, translations, documentation except licences. */
function bootstrapArguments(): string[] {
  const folders = ['doc', 'man', 'info', 'locale', 'groff', 'lintian']
  return [
    '--variant=minbase',
    `--aptopt=APT::Install-Recommends "false"`,
    ...folders.map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`),
    '--dpkgopt=path-include=/usr/share/doc/*/copyright',
    'trixie',
    '-',
  ]
}

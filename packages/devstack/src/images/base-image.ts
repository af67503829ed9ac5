import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryDocker } from '../engine/docker-cli.ts'
import type { EngineService } from '../engine/engine-service.ts'
import { withLock } from '../lock.ts'
import { type Log, secondsSince } from '../log.ts'
import { stackPaths } from '../paths.ts'
import { SetupError } from '../setup-error.ts'
import { bootstrapBase, LOCAL_BASE } from './bootstrap-base.ts'
import type { Base } from './image-builder.ts'
import { findImage, localImages } from './image-list.ts'

const REGISTRY_BASE = 'debian:trixie-slim'
/** Timeout of a registry's first answer, in milliseconds. */
const FIRST_ANSWER_MS = 10_000
const PULL_MS = 180_000

/** The base image that an engine already has: Debian's from a registry, or one that was built here. */
export async function localBase(engine: EngineService): Promise<Base | undefined> {
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
): Promise<Base> {
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
  if (process.platform !== 'linux') {
    throw new SetupError(
      `${REGISTRY_BASE} cannot be pulled; connect to a registry, or load that image, and try again`,
    )
  }
  log('no registry in reach')
  await bootstrapBase(LOCAL_BASE, {
    ...{ env, log },
    take: (tar) =>
      tryDocker(
        engine,
        ['import', '--change', 'CMD ["bash"]', '--change', 'LABEL isopod.content=base', '-', LOCAL_BASE],
        { env, input: tar },
      ),
    drop: () => tryDocker(engine, ['rmi', LOCAL_BASE], { env }),
  })
}

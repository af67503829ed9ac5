import { createHash } from 'node:crypto'
import { access, chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { baseImage } from './base-image.ts'
import { docker, tryDocker } from './docker-cli.ts'
import type { EngineService } from './engine-service.ts'
import { engineArchitecture, findImage, localImages } from './image-list.ts'
import { buildArguments, IMAGES } from './images.ts'
import { CHECKOUT } from './places.ts'
import { type Say, secondsSince } from './say.ts'
import { installPackages } from './system-packages.ts'

const FOLDER = join(CHECKOUT, 'packages', 'init')

/**
 * Sees to it that init's binary for the engine's processor is there and was made from the present sources. Where this
 * machine has a C compiler the build has done that; where it has none, or the processors differ, it is compiled in a
 * container. Silent when nothing is to be done.
 *
 * @throws {SetupError} with the last lines of the build if that fails
 */
export async function ensureInitBinary(
  engine: EngineService,
  { env, say }: { env: NodeJS.ProcessEnv; say: Say },
): Promise<void> {
  const binary = join(FOLDER, 'build', `isopod-init-${await engineArchitecture(engine.dockerHost)}`)
  const stamp = `${binary}.sources`
  const sources = await sourcesDigest()
  const isThere = await access(binary).then(
    () => true,
    () => false,
  )
  if (isThere && (await readFile(stamp, 'utf8').catch(() => '')) === sources) return

  const startedAt = performance.now()
  await installPackages(['docker-cli'], say, env)
  // The C image is the base with the compiler installed already.
  const compiler = findImage(await localImages(engine.dockerHost), IMAGES.c)
  const base = compiler ? IMAGES.c : (await baseImage(engine, { env, say })).tag
  await mkdir(join(FOLDER, 'build'), { recursive: true })
  await compile(engine, base, binary, env)
  await chmod(binary, 0o755)
  await writeFile(stamp, sources)
  say(`built init in a container in ${secondsSince(startedAt)}`)
}

async function compile(
  engine: EngineService,
  base: string,
  binary: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const what = 'building init in a container'
  const tag = `isopod/init-build:${process.pid}`
  // Only a tagged stage can be removed again; as a by-product of the last one it would stay, compiler and all.
  const build = ['build', '--network', 'host', '--force-rm', '--target', 'build', '--tag', tag]
  await docker(engine, [...build, ...buildArguments({ BASE: base }, env), FOLDER], { env, what })
  try {
    const container = await docker(engine, ['create', '--network', 'none', tag], { env, what })
    try {
      await docker(engine, ['cp', `${container}:/out/isopod-init`, binary], { env, what })
    } finally {
      await tryDocker(engine, ['rm', '-f', container], { env })
    }
  } finally {
    await tryDocker(engine, ['rmi', tag], { env })
  }
}

/** Names and bytes of the C sources: the same sum as `packages/init/scripts/build-native.mjs` leaves beside the binary. */
async function sourcesDigest(): Promise<string> {
  const folder = join(FOLDER, 'native')
  const hash = createHash('sha256')
  for (const name of (await readdir(folder)).sort()) {
    hash.update(`${name}\0`).update(await readFile(join(folder, name)))
  }
  return hash.digest('hex')
}

import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { access, chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { docker, tryDocker } from '../engine/docker-cli.ts'
import type { EngineService } from '../engine/engine-service.ts'
import { type Log, secondsSince } from '../log.ts'
import { CHECKOUT } from '../paths.ts'
import { runCommand } from '../run-command.ts'
import { installPackages } from '../system-packages.ts'
import { baseImage } from './base-image.ts'
import { engineArchitecture, findImage, localImages } from './image-list.ts'
import { IMAGES } from './image-names.ts'
import { buildArguments } from './images.ts'

const FOLDER = join(CHECKOUT, 'packages', 'init')

/** Programs in C: name → folder of the sources. */
const PROGRAMS = { init: 'native', probe: 'probe' } as const
/** Those of the process driver. */
const LOCAL_PROGRAMS = { ...PROGRAMS, spawner: 'spawner' } as const

/**
 * Compiles init and the probe for the engine's processor in a container, unless the build has compiled them from the same
 * sources. The build cannot do so without a C compiler, or for another processor. Logs nothing if they exist.
 *
 * @throws {SetupError} with the last lines of the build if that fails
 */
export async function ensureInitBinary(
  engine: EngineService,
  { env, log }: { env: NodeJS.ProcessEnv; log: Log },
): Promise<void> {
  const architecture = await engineArchitecture(engine.dockerHost)
  const programs = await describePrograms(PROGRAMS, architecture)
  if ((await Promise.all(programs.map(isBuilt))).every(Boolean)) return

  const startedAt = performance.now()
  await installPackages(['docker-cli'], log, env)
  // The C image is the base image with a compiler.
  const compiler = findImage(await localImages(engine.dockerHost), IMAGES.c)
  const base = compiler ? IMAGES.c : (await baseImage(engine, { env, log })).tag
  await mkdir(join(FOLDER, 'build'), { recursive: true })
  await compile(engine, base, programs, env)
  for (const { path, sources } of programs) {
    await chmod(path, 0o755)
    await writeFile(`${path}.sources`, sources)
  }
  log(`built init in a container in ${secondsSince(startedAt)}`)
}

/** Whether init, the probe and the spawner are compiled for this host from their current sources. */
export async function hasLocalPrograms(): Promise<boolean> {
  const programs = await describePrograms(LOCAL_PROGRAMS, process.arch)
  return (await Promise.all(programs.map(isBuilt))).every(Boolean)
}

/**
 * Compiles the programs of the process driver on this host, unless the build has done so. The build cannot without a C compiler.
 *
 * @throws {SetupError} with the last lines of the compiler if that fails
 */
export async function ensureLocalPrograms({ env, log }: { env: NodeJS.ProcessEnv; log: Log }): Promise<void> {
  if (await hasLocalPrograms()) return
  const startedAt = performance.now()
  await installPackages(['c-compiler'], log, env)
  await runCommand([process.execPath, join(FOLDER, 'scripts', 'build-native.mjs')], { env })
  log(`built init in ${secondsSince(startedAt)}`)
}

interface Program {
  readonly name: string
  readonly path: string
  readonly sources: string
}

async function describePrograms(
  programs: Readonly<Record<string, string>>,
  architecture: string,
): Promise<Program[]> {
  return await Promise.all(
    Object.entries(programs).map(async ([program, folder]) => ({
      name: `isopod-${program}`,
      path: join(FOLDER, 'build', `isopod-${program}-${architecture}`),
      sources: await sourcesDigest(folder),
    })),
  )
}

async function isBuilt({ path, sources }: Program): Promise<boolean> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  return isThere && (await readFile(`${path}.sources`, 'utf8').catch(() => '')) === sources
}

async function compile(
  engine: EngineService,
  base: string,
  programs: readonly Program[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const what = 'building init in a container'
  const tag = `isopod/init-build:${process.pid}`
  // Tagged, so that this stage with its compiler can be removed.
  const build = ['build', '--network', 'host', '--force-rm', '--target', 'build', '--tag', tag]
  await docker(engine, [...build, ...buildArguments({ BASE: base }, env), FOLDER], { env, what })
  try {
    const container = await docker(engine, ['create', '--network', 'none', tag], { env, what })
    try {
      for (const { name, path } of programs) {
        await docker(engine, ['cp', `${container}:/out/${name}`, path], { env, what })
      }
    } finally {
      await tryDocker(engine, ['rm', '-f', container], { env })
    }
  } finally {
    await tryDocker(engine, ['rmi', tag], { env })
  }
}

/** Names and bytes of the C sources: the same digest as `packages/init/scripts/build-native.mjs` writes beside the binary. */
async function sourcesDigest(name: string): Promise<string> {
  const folder = join(FOLDER, name)
  const hash = createHash('sha256')
  for (const file of globSync('**/*.*', { cwd: folder }).sort()) {
    hash.update(`${file}\0`).update(await readFile(join(folder, file)))
  }
  return hash.digest('hex')
}

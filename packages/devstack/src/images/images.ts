import { join } from 'node:path'
import { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { docker, tryDocker } from '../engine/docker-cli.ts'
import type { EngineService } from '../engine/engine-service.ts'
import { withLock } from '../lock.ts'
import { type Log, secondsSince } from '../log.ts'
import { stackPaths } from '../paths.ts'
import { lastLines } from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import { installPackages } from '../system-packages.ts'
import { baseImage, localBase } from './base-image.ts'
import {
  BASE_LABEL,
  CONTENT_LABEL,
  IMAGES_FOLDER,
  imageContent,
  imageDockerfile,
  isCurrent,
  localNodeVersion,
  nodePackage,
  recipeArguments,
} from './image-content.ts'
import { engineArchitecture, findImage, localImages } from './image-list.ts'
import { IMAGES, type ImageName, parentOf } from './image-names.ts'

const NODE_TAG = 'isopod/node:24'
const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']
const MAX_BUILDS = 2
/** What apt-get prints about a package that it does not find. */
const NO_PACKAGE = /Unable to locate package (\S+)|Package '([^']+)' has no installation candidate/g
/** Maximum wait for another process that builds an image, in milliseconds. */
const MAX_WAIT_MS = 3_600_000

interface ImageOptions {
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
}

/** The base of an image. */
interface Base {
  readonly tag: string
  readonly id: string
}

/**
 * Builds the named images, and their bases, if they are missing or outdated; two at a time. Logs nothing if there is nothing to
 * build. Another process that needs one of them waits only for that one.
 *
 * @throws {SetupError} with the last lines of the build that failed
 */
export async function buildImages(
  engine: EngineService,
  names: readonly ImageName[],
  options: ImageOptions,
): Promise<void> {
  const missing = await outdatedImages(engine, names)
  if (missing.length === 0) return
  await installPackages(['docker-cli'], options.log, options.env)
  const debian = await baseImage(engine, options)
  const started = new Map<ImageName, Promise<Base>>()
  const wanted = missing.length
  let begun = 0

  /** Resolves with an image, built if necessary; once for all callers. */
  const ensure = (name: ImageName): Promise<Base> => {
    const building = started.get(name) ?? build(name)
    started.set(name, building)
    return building
  }
  const build = async (name: ImageName): Promise<Base> => {
    const parent = parentOf(name)
    const base = parent === undefined ? debian : await ensure(parent)
    const lock = join(stackPaths(options.env).imageLocks, name)
    return await withLock(lock, () => buildOn(base, name), { log: options.log, waitMs: MAX_WAIT_MS })
  }
  const buildOn = async (base: Base, name: ImageName): Promise<Base> => {
    const content = await imageContent(name)
    const old = findImage(await localImages(engine.dockerHost), IMAGES[name])
    if (old && isCurrent(old, content, base.id)) return { tag: IMAGES[name], id: old.id }
    begun += 1
    if (wanted > MAX_BUILDS) options.log(`building ${IMAGES[name]} (${begun} of ${Math.max(begun, wanted)})`)
    await buildImage(engine, name, base, content, options)
    // The engine keeps the old image while a container uses it.
    if (old) await tryDocker(engine, ['rmi', old.id], { env: options.env })
    const made = findImage(await localImages(engine.dockerHost), IMAGES[name])
    return { tag: IMAGES[name], id: made?.id ?? '' }
  }
  const lane = async () => {
    for (let name = missing.shift(); name !== undefined; name = missing.shift()) {
      await ensure(name)
    }
  }
  const results = await Promise.allSettled(Array.from({ length: MAX_BUILDS }, lane))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** The named images that have to be built, in the same order. */
async function outdatedImages(engine: EngineService, names: readonly ImageName[]): Promise<ImageName[]> {
  const images = await localImages(engine.dockerHost)
  const debian = await localBase(engine)
  const outdated: ImageName[] = []
  for (const name of new Set(names)) {
    const parent = parentOf(name)
    const base = parent === undefined ? debian : findImage(images, IMAGES[parent])
    const image = findImage(images, IMAGES[name])
    if (!isCurrent(image, await imageContent(name), base?.id)) outdated.push(name)
  }
  return outdated
}

async function buildImage(
  engine: EngineService,
  name: ImageName,
  base: Base,
  content: string,
  options: ImageOptions,
): Promise<void> {
  const startedAt = performance.now()
  const node = name === 'javascript' ? await localNodeImage(engine, options) : undefined
  const { exitCode, output } = await tryDocker(
    engine,
    [
      ...['build', '--network', 'host', '--force-rm', '--tag', IMAGES[name]],
      ...['--label', `${CONTENT_LABEL}=${content}`, '--label', `${BASE_LABEL}=${base.id}`],
      ...buildArguments(
        { ...recipeArguments(name), BASE: base.tag, ...(node ? { NODE_IMAGE: node } : {}) },
        options.env,
      ),
      ...['--file', join(IMAGES_FOLDER, imageDockerfile(name)), IMAGES_FOLDER],
    ],
    { env: options.env },
  )
  if (exitCode !== 0) throw new SetupError(buildFailure(name, stripVTControlCharacters(output)))
  if (node) await tryDocker(engine, ['rmi', node], { env: options.env })
  options.log(`built ${IMAGES[name]} in ${secondsSince(startedAt)}`)
}

/** Why a build failed: the packages that Debian does not have, else the last lines of its output. */
export function buildFailure(name: ImageName, output: string): string {
  const what = `building ${IMAGES[name]} failed`
  const missing = [...output.matchAll(NO_PACKAGE)].map(([, unknown, obsolete = unknown]) => obsolete)
  if (missing.length === 0) return `${what}:\n${lastLines(output, 15)}`
  const packages = [...new Set(missing)].join(', ')
  return `${what}: Debian has no package ${packages}; correct the recipe of ${name} in packages/devstack/src/images/image-recipes.ts`
}

/** `--build-arg` options: ours, and the environment's proxies, which Docker does not store in the image. */
export function buildArguments(own: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv): string[] {
  const proxies = PROXY_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))
  return [...Object.entries(own), ...proxies].flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
}

/**
 * Provides an image with only this checkout's `node`, which its lock file pins. Undefined if the checkout has none for the
 * engine's processor; the Dockerfile then pulls its default.
 */
async function localNodeImage(engine: EngineService, options: ImageOptions): Promise<string | undefined> {
  if ((await localNodeVersion()) === undefined) return undefined
  if ((await engineArchitecture(engine.dockerHost)) !== process.arch) return undefined
  await docker(
    engine,
    ['build', '--force-rm', '--tag', NODE_TAG, '--file', '-', join(nodePackage(), 'bin')],
    {
      env: options.env,
      input: Readable.from(['FROM scratch\nCOPY node /usr/local/bin/node\n']),
      what: 'packing Node into an image',
    },
  )
  return NODE_TAG
}

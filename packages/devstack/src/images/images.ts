import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { withLock } from '../lock.ts'
import { type Log, secondsSince } from '../log.ts'
import { stackPaths } from '../paths.ts'
import { lastLines } from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import type { Base, ImageBuilder } from './image-builder.ts'
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
  /** Called with each named image as soon as it is up to date. @default none */
  readonly onReady?: (name: ImageName) => Promise<void>
}

/**
 * Builds the named images, and their bases, if they are missing or outdated; two at a time. Logs nothing if there is nothing to
 * build. Another process that needs one of them waits only for that one.
 *
 * @throws {SetupError} with the last lines of the build that failed
 */
export async function buildImages(
  builder: ImageBuilder,
  names: readonly ImageName[],
  options: ImageOptions,
): Promise<void> {
  const { onReady = async () => {} } = options
  const missing = await outdatedImages(builder, names)
  const queue = [...new Set(names)]
  const started = new Map<ImageName, Promise<Base>>()
  let debian: Promise<Base> | undefined
  let begun = 0

  /** Resolves with an image, built if necessary; once for all callers. */
  const ensure = (name: ImageName): Promise<Base> => {
    const building = started.get(name) ?? build(name)
    started.set(name, building)
    return building
  }
  const build = async (name: ImageName): Promise<Base> => {
    const parent = parentOf(name)
    debian ??= builder.base()
    const base = await (parent === undefined ? debian : ensure(parent))
    const lock = join(stackPaths(options.env).imageLocks, name)
    return await withLock(lock, () => buildOn(base, name), { log: options.log, waitMs: MAX_WAIT_MS })
  }
  const buildOn = async (base: Base, name: ImageName): Promise<Base> => {
    const content = await imageContent(name)
    const old = await builder.find(IMAGES[name])
    if (old && isCurrent(old, content, base.id)) return { tag: IMAGES[name], id: old.id }
    begun += 1
    if (missing.size > MAX_BUILDS) {
      options.log(`building ${IMAGES[name]} (${begun} of ${Math.max(begun, missing.size)})`)
    }
    await buildImage(builder, name, base, content, options)
    // An engine keeps the old image while a container uses it.
    if (old) await builder.remove(old.id)
    const made = await builder.find(IMAGES[name])
    return { tag: IMAGES[name], id: made?.id ?? '' }
  }
  const lane = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      if (missing.has(name)) await ensure(name)
      await onReady(name)
    }
  }
  const results = await Promise.allSettled(Array.from({ length: MAX_BUILDS }, lane))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** The named images that have to be built. */
async function outdatedImages(
  builder: ImageBuilder,
  names: readonly ImageName[],
): Promise<ReadonlySet<ImageName>> {
  const debian = await builder.localBase()
  const wanted = [...new Set(names)]
  const current = await Promise.all(
    wanted.map(async (name) => {
      const parent = parentOf(name)
      const base = parent === undefined ? debian : await builder.find(IMAGES[parent])
      return isCurrent(await builder.find(IMAGES[name]), await imageContent(name), base?.id)
    }),
  )
  return new Set(wanted.filter((_, index) => !current[index]))
}

async function buildImage(
  builder: ImageBuilder,
  name: ImageName,
  base: Base,
  content: string,
  options: ImageOptions,
): Promise<void> {
  const startedAt = performance.now()
  const node = name === 'javascript' ? await localNodeImage(builder) : undefined
  const { exitCode, output } = await builder.build([
    ...['--network', 'host', '--tag', IMAGES[name]],
    ...['--label', `${CONTENT_LABEL}=${content}`, '--label', `${BASE_LABEL}=${base.id}`],
    ...buildArguments(
      {
        ...recipeArguments(name),
        BASE: builder.reference(base.tag),
        ...(node ? { NODE_IMAGE: builder.reference(node) } : {}),
      },
      options.env,
    ),
    ...['--file', join(IMAGES_FOLDER, imageDockerfile(name)), IMAGES_FOLDER],
  ])
  if (exitCode !== 0) throw new SetupError(buildFailure(name, stripVTControlCharacters(output)))
  if (node) await builder.remove(node)
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
 * images' processor; the Dockerfile then pulls its default.
 */
async function localNodeImage(builder: ImageBuilder): Promise<string | undefined> {
  if ((await localNodeVersion()) === undefined) return undefined
  if ((await builder.architecture()) !== process.arch) return undefined
  const { exitCode, output } = await builder.build(
    ['--tag', NODE_TAG, join(nodePackage(), 'bin')],
    'FROM scratch\nCOPY node /usr/local/bin/node\n',
  )
  if (exitCode !== 0) throw new SetupError(`packing Node into an image failed:\n${lastLines(output, 15)}`)
  return NODE_TAG
}

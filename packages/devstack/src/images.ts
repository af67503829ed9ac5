import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type BaseImage, baseImage, localBase } from './base-image.ts'
import { contentHash } from './content-hash.ts'
import { docker, tryDocker } from './docker-cli.ts'
import type { EngineService } from './engine-service.ts'
import { engineArchitecture, findImage, type LocalImage, localImages } from './image-list.ts'
import { CHECKOUT } from './places.ts'
import { type Say, secondsSince } from './say.ts'
import { installPackages } from './system-packages.ts'

/** The language images and their tags; each has a folder of its name in `deploy/images`. */
export const IMAGES = {
  python: 'isopod/python:3.13',
  javascript: 'isopod/javascript:24',
  bash: 'isopod/bash:5.2',
  c: 'isopod/c:14',
} as const

/** Name of a language image. TypeScript runs in `javascript`. */
export type ImageName = keyof typeof IMAGES

/** Names of all language images, the slowest to build first. */
export const IMAGE_NAMES = ['python', 'c', 'javascript', 'bash'] as const satisfies readonly ImageName[]

/** What an image was built from: its folder, and the base below it. */
const CONTENT_LABEL = 'isopod.content'
const BASE_LABEL = 'isopod.base'
const NODE_TAG = 'isopod/node:24'
const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']
const AT_ONCE = 2

interface ImageOptions {
  readonly env: NodeJS.ProcessEnv
  readonly say: Say
}

/**
 * Builds those of the named images that the engine lacks or whose folder or base has changed, two at a time; silent when
 * there are none.
 *
 * @throws {SetupError} with the last lines of the build that failed
 */
export async function buildImages(
  engine: EngineService,
  names: readonly ImageName[],
  options: ImageOptions,
): Promise<void> {
  const there = await localImages(engine.dockerHost)
  const known = await localBase(engine)
  const content = new Map<ImageName, string>()
  for (const name of names) content.set(name, await imageContent(name))
  const outdated = IMAGE_NAMES.filter((name) => {
    const wanted = content.get(name)
    return wanted !== undefined && !isCurrent(findImage(there, IMAGES[name]), wanted, known)
  })
  if (outdated.length === 0) return

  await installPackages(['docker-cli'], options.say, options.env)
  const base = await baseImage(engine, options)
  const queue = [...outdated]
  const build = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const old = findImage(there, IMAGES[name])
      await buildImage(engine, name, base, content.get(name) ?? '', options)
      // Nothing uses the one before any more; if something does, it stays until that ends.
      if (old) await tryDocker(engine, ['rmi', old.id], { env: options.env })
    }
  }
  const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, build))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Without its base (pruned, say) an image that fits its folder is taken as it is: no reason to fetch one. */
function isCurrent(image: LocalImage | undefined, content: string, base: BaseImage | undefined): boolean {
  if (image?.labels[CONTENT_LABEL] !== content) return false
  return base === undefined || image.labels[BASE_LABEL] === base.id
}

async function buildImage(
  engine: EngineService,
  name: ImageName,
  base: BaseImage,
  content: string,
  options: ImageOptions,
): Promise<void> {
  const startedAt = performance.now()
  const folder = join(CHECKOUT, 'deploy', 'images', name)
  const node = name === 'javascript' ? await localNodeImage(engine, options) : undefined
  await docker(
    engine,
    [
      ...['build', '--network', 'host', '--force-rm', '--tag', IMAGES[name]],
      ...['--label', `${CONTENT_LABEL}=${content}`, '--label', `${BASE_LABEL}=${base.id}`],
      ...buildArguments({ BASE: base.tag, ...(node ? { NODE_IMAGE: node } : {}) }, options.env),
      folder,
    ],
    { env: options.env, what: `building ${IMAGES[name]}` },
  )
  if (node) await tryDocker(engine, ['rmi', node], { env: options.env })
  options.say(`built ${IMAGES[name]} in ${secondsSince(startedAt)}`)
}

/** `--build-arg` words: ours, and the proxies of the environment, which Docker keeps out of the image. */
export function buildArguments(own: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv): string[] {
  const proxies = PROXY_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))
  return [...Object.entries(own), ...proxies].flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
}

async function imageContent(name: ImageName): Promise<string> {
  const extra = name === 'javascript' ? [(await localNodeVersion()) ?? 'pulled'] : []
  return await contentHash([join(CHECKOUT, 'deploy', 'images', name)], extra)
}

/**
 * An image that holds nothing but the `node` of this checkout, pinned by its lock file; undefined where there is none
 * for the engine's processor, and the Dockerfile's own default has to be pulled.
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

async function localNodeVersion(): Promise<string | undefined> {
  const text = await readFile(join(nodePackage(), 'package.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  return (JSON.parse(text) as { version: string }).version
}

function nodePackage(): string {
  return join(CHECKOUT, 'node_modules', `node-${process.platform}-${process.arch}`)
}

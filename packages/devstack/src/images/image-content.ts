import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CHECKOUT } from '../paths.ts'
import { contentHash } from './content-hash.ts'
import type { BuiltImage } from './image-list.ts'
import { type ImageName, parentOf, recipeOf } from './image-names.ts'

/** Label with the fingerprint of an image's recipe and folder. */
export const CONTENT_LABEL = 'isopod.content'
/** Label with the id of the base image. */
export const BASE_LABEL = 'isopod.base'

/** The build context of all language images. */
export const IMAGES_FOLDER = join(CHECKOUT, 'deploy', 'images')

/** The Dockerfile of a language image, relative to {@link IMAGES_FOLDER}: its own, or the shared one. */
export function imageDockerfile(name: ImageName): string {
  const own = join(name, 'Dockerfile')
  return existsSync(join(IMAGES_FOLDER, own)) ? own : 'Dockerfile'
}

/** The build arguments of an image, except its base. */
export function recipeArguments(name: ImageName): Record<string, string> {
  const { about, version, packages, versionCommand } = recipeOf(name)
  const files = existsSync(join(IMAGES_FOLDER, name, 'setup.sh')) ? { FILES: `${name}/` } : {}
  return {
    ...{ NAME: name, ABOUT: about, VERSION: version, PACKAGES: packages, VERSION_COMMAND: versionCommand },
    ...files,
  }
}

/** Fingerprint of the sources of an image in this checkout, without its Debian base. */
export async function imageContent(name: ImageName): Promise<string> {
  const parent = parentOf(name)
  const extra = Object.values(recipeArguments(name))
  if (parent !== undefined) extra.push(await imageContent(parent))
  if (name === 'javascript') extra.push((await localNodeVersion()) ?? 'pulled')
  const shared = [imageDockerfile(name), 'install.sh'].map((file) => join(IMAGES_FOLDER, file))
  return await contentHash([...shared, join(IMAGES_FOLDER, name)], extra)
}

/**
 * Whether an image is up to date with this checkout. If its base was removed, only its own sources count, so that the base
 * need not be fetched.
 *
 * @param base id of its base image; undefined if the engine lacks it
 */
export function isCurrent(image: BuiltImage | undefined, content: string, base: string | undefined): boolean {
  if (image?.labels[CONTENT_LABEL] !== content) return false
  return base === undefined || image.labels[BASE_LABEL] === base
}

/** Version of this checkout's `node`; undefined if it has none for this processor. */
export async function localNodeVersion(): Promise<string | undefined> {
  const text = await readFile(join(nodePackage(), 'package.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  return (JSON.parse(text) as { version: string }).version
}

/** Folder of this checkout's `node` package. */
export function nodePackage(): string {
  return join(CHECKOUT, 'node_modules', `node-${process.platform}-${process.arch}`)
}

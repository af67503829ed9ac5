// The lists of languages and images that follow from the catalogue and from the recipes of the images.
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import {
  IMAGE_NAMES,
  IMAGES,
  type ImageName,
  imageDockerfile,
  parentOf,
  recipeArguments,
  USUAL_IMAGES,
} from '@isopod/devstack'
import { DEFAULT_CATALOGUE_PATH } from '@isopod/languages'
import { DEFAULT_LIMITS } from '@isopod/protocol'
import { parse, stringify } from 'yaml'

/** The text of deploy/images/compose.yaml: one service per image, only for building. */
export function imagesComposeFile(): string {
  const services = Object.fromEntries(IMAGE_NAMES.map((name) => [`image-${name}`, composeService(name)]))
  return [
    '# Written by `npm run schemas` from packages/devstack/src/images/image-recipes.ts; do not edit it.\n',
    '# `docker compose --profile images build` builds what most jobs use, `--profile all-images` all languages.\n',
    stringify({ services }, { lineWidth: 0 }),
  ].join('')
}

function composeService(name: ImageName) {
  const parent = parentOf(name)
  const buildArguments = { ...recipeArguments(name), ...(parent && { BASE: 'base' }) }
  // Compose interprets a dollar sign as a variable.
  const args = Object.entries(buildArguments).map(([key, value]) => [key, value.replaceAll('$', '$$$$')])
  const isUsual = USUAL_IMAGES.some((usual) => usual === name)
  return {
    profiles: isUsual ? ['images', 'all-images'] : ['all-images'],
    image: IMAGES[name],
    build: {
      context: '.',
      dockerfile: imageDockerfile(name),
      args: Object.fromEntries(args),
      ...(parent && { additional_contexts: { base: `service:image-${parent}` } }),
    },
    entrypoint: ['true'],
  }
}

/** The text of apps/cli/src/input/language-extensions.ts. */
export function languageExtensionsFile(): string {
  const lines = Object.entries(defaultCatalogue()).map(([name, { filename }]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    return `  ${key}: '${extname(filename)}',\n`
  })
  return [
    '// Written by `npm run schemas` from packages/languages/languages.yaml; do not edit it.\n\n',
    '/** Languages of the default catalogue → extension of their programs. */\n',
    'export const LANGUAGE_EXTENSIONS: Readonly<Record<string, string>> = {\n',
    ...lines,
    '}\n',
  ].join('')
}

/** Rows of the table of languages: name, version, aliases, image, default of memoryMb, factor of timeoutSeconds. */
export function languageRows(): string[][] {
  return Object.entries(defaultCatalogue()).map(([name, { version, aliases = [], image, ...limits }]) => [
    name,
    version,
    aliases.join(', '),
    IMAGE_NAMES.find((each) => IMAGES[each] === image) ?? image,
    String(limits.default_memory_mb ?? DEFAULT_LIMITS.memoryMb),
    limits.timeout_factor === undefined ? '' : `× ${limits.timeout_factor}`,
  ])
}

interface Entry {
  readonly version: string
  readonly aliases?: string[]
  readonly image: string
  readonly filename: string
  readonly default_memory_mb?: number
  readonly timeout_factor?: number
}

function defaultCatalogue(): Readonly<Record<string, Entry>> {
  return parse(readFileSync(DEFAULT_CATALOGUE_PATH, 'utf8')) as Record<string, Entry>
}

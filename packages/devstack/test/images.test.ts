import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { contentHash } from '../src/images/content-hash.ts'
import { IMAGES_FOLDER, imageContent, imageDockerfile, recipeArguments } from '../src/images/image-content.ts'
import {
  IMAGE_NAMES,
  IMAGES,
  isImageName,
  parentOf,
  recipeOf,
  USUAL_IMAGES,
} from '../src/images/image-names.ts'
import { buildArguments, buildFailure } from '../src/images/images.ts'
import { CHECKOUT } from '../src/paths.ts'

it('the images have the names and versions of the catalogue', async () => {
  const text = await readFile(join(CHECKOUT, 'packages', 'languages', 'languages.yaml'), 'utf8')
  const languages = Object.values(parse(text) as Record<string, { image: string; version: string }>)
  expect(new Set(languages.map(({ image }) => image))).toEqual(new Set(Object.values(IMAGES)))
  for (const { image, version } of languages) expect(image.split(':')[1]).toBe(version)
})

it('the image of workers with roots has those of the usual images', async () => {
  const file = join(CHECKOUT, 'deploy', 'services', 'worker-process', 'Dockerfile')
  const copied = [...(await readFile(file, 'utf8')).matchAll(/^COPY --from=(\S+) \/ (\S+)$/gm)]
  expect(copied.map(([, image]) => image)).toEqual(USUAL_IMAGES.map((name) => IMAGES[name]))
  for (const [, image, folder] of copied) expect(folder).toBe(`/images/${image}/`)
})

it('each folder of recipes belongs to an image', async () => {
  const entries = await readdir(IMAGES_FOLDER, { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  expect(folders.filter((name) => !isImageName(name))).toEqual([])
  expect(IMAGE_NAMES.filter((name) => imageDockerfile(name) !== 'Dockerfile')).toEqual(['javascript'])
})

it('each image has the parent of its recipe, and every chain of parents ends at Debian', () => {
  for (const name of IMAGE_NAMES) {
    const below: string[] = []
    expect(recipeOf(name).on, name).toBe(parentOf(name))
    for (let at = parentOf(name); at !== undefined; at = parentOf(at)) {
      expect(below).not.toContain(at)
      below.push(at)
    }
  }
})

it('the content of an image includes that of its parent', async () => {
  const [parents, own] = await Promise.all([imageContent('c'), imageContent('cpp')])
  const files = ['Dockerfile', 'install.sh', 'cpp'].map((name) => join(IMAGES_FOLDER, name))
  const words = Object.values(recipeArguments('cpp'))
  expect(own).toBe(await contentHash(files, [...words, parents]))
  expect(own).not.toBe(await contentHash(files, words))
})

it.each(['Dockerfile', 'javascript/Dockerfile'])(
  '%s builds on the given base and uses all arguments of a recipe',
  async (file) => {
    const text = await readFile(join(IMAGES_FOLDER, file), 'utf8')
    expect(text).toMatch(/^ARG BASE=debian:trixie-slim\n/m)
    expect(text).toMatch(/^FROM \$\{BASE\}\n/m)
    for (const name of Object.keys(recipeArguments('c')))
      expect(text).toMatch(new RegExp(`^ARG ${name}$`, 'm'))
    expect(text).toMatch(/^RUN sh \/tmp\/isopod\/install\.sh$/m)
    // BuildKit, which Compose uses, refuses a pattern in a folder that does not exist.
    expect(text).not.toMatch(/^COPY .*\*/m)
  },
)

it('the installation of an image removes setuid and setgid bits', async () => {
  const text = await readFile(join(IMAGES_FOLDER, 'install.sh'), 'utf8')
  expect(text).toMatch(/^find \/ -xdev -type f -perm \/6000 -exec chmod a-s \{\} \+$/m)
})

it('images are built with the proxies of the environment and none of its other variables', () => {
  const env = { https_proxy: 'http://proxy:3128', NO_PROXY: '', SECRET: 'x' }
  expect(buildArguments({ BASE: 'b' }, env)).toEqual([
    ...['--build-arg', 'BASE=b'],
    ...['--build-arg', 'https_proxy=http://proxy:3128'],
  ])
})

it('a failed build names the packages that Debian lacks, or shows the end of its output', () => {
  const lines = [
    'Reading state information...',
    'E: Unable to locate package gawkk',
    "E: Package 'gawk-doc' has no installation candidate",
    "The command '/bin/sh -c sh /tmp/isopod/install.sh' returned a non-zero code: 100",
  ]
  expect(buildFailure('awk', lines.join('\n'))).toMatch(
    /^building isopod\/awk:[\d.]+ failed: Debian has no package gawkk, gawk-doc; correct the recipe of awk in \S+$/,
  )
  expect(buildFailure('awk', 'one\ntwo')).toMatch(/failed:\none\ntwo$/)
})

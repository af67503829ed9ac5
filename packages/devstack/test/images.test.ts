import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { contentHash } from '../src/content-hash.ts'
import { imageContent } from '../src/image-content.ts'
import { IMAGE_NAMES, IMAGES, parentOf } from '../src/image-names.ts'
import { buildArguments } from '../src/images.ts'
import { CHECKOUT } from '../src/paths.ts'

const FOLDER = join(CHECKOUT, 'deploy', 'images')

it('each have a folder, and each folder is built', async () => {
  expect([...IMAGE_NAMES].sort()).toEqual((await readdir(FOLDER)).sort())
  expect([...IMAGE_NAMES].sort()).toEqual(Object.keys(IMAGES).sort())
})

it('are those of the catalogue, and of its versions', async () => {
  const text = await readFile(join(CHECKOUT, 'packages', 'languages', 'languages.yaml'), 'utf8')
  const languages = Object.values(parse(text) as Record<string, { image: string; version: string }>)
  expect(new Set(languages.map(({ image }) => image))).toEqual(new Set(Object.values(IMAGES)))
  for (const { image, version } of languages) expect(image.split(':')[1]).toBe(version)
})

it('stand on one another down to Debian', () => {
  for (const name of IMAGE_NAMES) {
    const below: string[] = []
    for (let at = parentOf(name); at !== undefined; at = parentOf(at)) {
      expect(below).not.toContain(at)
      below.push(at)
    }
  }
})

it.each(IMAGE_NAMES)('%s has the version of its tag on its label', async (name) => {
  const text = await readFile(join(FOLDER, name, 'Dockerfile'), 'utf8')
  expect(text).toContain(`org.opencontainers.image.version="${IMAGES[name].split(':')[1]}"`)
  expect(text).toContain(`org.opencontainers.image.title="isopod/${name}"`)
})

it('change with what they stand on', async () => {
  const [own, parents] = await Promise.all([imageContent('cpp'), imageContent('c')])
  expect(own).not.toBe(await contentHash([join(FOLDER, 'cpp')]))
  expect(own).toBe(await contentHash([join(FOLDER, 'cpp')], [parents]))
})

it.each(IMAGE_NAMES)('%s stands on the base it is given and keeps no setuid file', async (name) => {
  const text = await readFile(join(FOLDER, name, 'Dockerfile'), 'utf8')
  expect(text).toMatch(/^ARG BASE=debian:trixie-slim\n/m)
  expect(text).toMatch(/^FROM \$\{BASE\}\n/m)
  expect(text).toContain('find / -xdev -type f -perm /6000 -exec chmod a-s {} +')
})

it('are built with the proxies of the environment and nothing else of it', () => {
  const env = { https_proxy: 'http://proxy:3128', NO_PROXY: '', SECRET: 'x' }
  expect(buildArguments({ BASE: 'b' }, env)).toEqual([
    ...['--build-arg', 'BASE=b'],
    ...['--build-arg', 'https_proxy=http://proxy:3128'],
  ])
})

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { IMAGE_NAMES, IMAGES } from '../src/image-names.ts'
import { buildArguments } from '../src/images.ts'
import { CHECKOUT } from '../src/places.ts'

const FOLDER = join(CHECKOUT, 'deploy', 'images')

it('each have a folder, and each folder is built', async () => {
  expect([...IMAGE_NAMES].sort()).toEqual((await readdir(FOLDER)).sort())
  expect([...IMAGE_NAMES].sort()).toEqual(Object.keys(IMAGES).sort())
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

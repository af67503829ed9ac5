import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRoots } from '@isopod/devstack'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Services } from '../src/services.ts'
import { cli, fakeClient, servicesWith } from './support.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const NEWER = `sha256:${'b'.repeat(64)}`

let env: NodeJS.ProcessEnv

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-cli-roots-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  env = { ISOPOD_ROOTS_DIR: join(folder, 'roots') }
})

/** An engine that has only bash, and this catalogue; apps/cli/test/system tests real ones. */
function services(): Services {
  return {
    ...servicesWith(fakeClient().client),
    openRoots,
    catalogueImages: async () => [
      { names: ['bash', 'sh'], image: 'isopod/bash:5.2' },
      { names: ['ruby', 'rb'], image: 'isopod/ruby:3.3' },
    ],
    findStack: async () => ({
      ...{ id: '0', redis: { url: 'redis://x', ours: true }, workers: [] },
      engine: { dockerHost: 'unix:///x', ours: true },
    }),
    makeRoot: async (_, reference) => {
      if (reference === 'isopod/bash:5.2') return { reference, digest: DIGEST, unpacked: false }
      throw Object.assign(new Error('no image'), { code: 'image_absent' })
    },
  }
}

const isopod = (...args: string[]) => cli(['roots', ...args], { env, services: services() })

async function add(reference: string, digest: string): Promise<void> {
  const unpack = (files: string) => writeFile(join(files, 'program'), 'x'.repeat(2_097_152))
  await (await openRoots(env)).add({ reference, digest, unpack })
}

function rootFile(digest: string, path: string): string {
  return join(env['ISOPOD_ROOTS_DIR'] ?? '', digest.replace(':', '-'), 'files', path)
}

describe('isopod roots', () => {
  it('lists image, digest, size and age', async () => {
    expect(await isopod()).toMatchObject({ exitCode: 0, stdout: '', stderr: expect.stringContaining('make') })
    await add('isopod/bash:5.2', DIGEST)
    await add('isopod/bash:5.2', NEWER)
    const { stdout } = await isopod()
    expect(stdout).toMatch(/\nisopod\/bash:5\.2 +b{12} +2\.0 MiB +\d s\n\(unused\) +a{12} +2\.0 MiB +\d s\n$/)
    const [first = ''] = (await isopod('--json')).stdout.split('\n')
    const madeAt = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(JSON.parse(first)).toEqual({
      ...{ references: ['isopod/bash:5.2'], digest: NEWER, bytes: 2_097_152, madeAt },
    })
  })

  it('verifies all roots, or those that are named', async () => {
    await add('good:1', DIGEST)
    await add('bad:1', NEWER)
    expect(await isopod('verify')).toMatchObject({ exitCode: 0 })
    await writeFile(rootFile(NEWER, 'program'), 'other')
    await mkdir(rootFile(NEWER, '\x1b[2J'))
    const { exitCode, stdout } = await isopod('verify')
    expect(exitCode).toBe(1)
    expect(stdout).toBe('bad:1: CHANGED\n  added /\\x1b[2J\n  changed /program\ngood:1: as it was unpacked\n')
    expect(await isopod('verify', 'good:1')).toMatchObject({ exitCode: 0 })
    expect(await isopod('verify', 'none:1')).toMatchObject({ exitCode: 1, stdout: '' })
    const { differences } = JSON.parse((await isopod('verify', 'bad:1', '--json')).stdout)
    expect(differences).toHaveLength(2)
  })

  it('takes languages of the catalogue for their images', async () => {
    await add('isopod/ruby:3.3', DIGEST)
    const { stdout } = await isopod('verify', 'RB')
    expect(stdout).toBe('isopod/ruby:3.3: as it was unpacked\n')
    expect(await isopod('remove', 'ruby')).toMatchObject({ exitCode: 0 })
    expect((await isopod('list', '--json')).stdout).toBe('')
  })

  it('removes roots by reference, and those without one', async () => {
    await add('one:1', DIGEST)
    await add('one:1', NEWER)
    expect(await isopod('remove', '--unused')).toMatchObject({ exitCode: 0 })
    expect((await (await openRoots(env)).list()).map(({ digest }) => digest)).toEqual([NEWER])
    expect(await isopod('remove', 'one:1', 'two:1')).toMatchObject({ exitCode: 1 })
    expect(await (await openRoots(env)).list()).toEqual([])
  })

  it('asks for what to remove, and for the name of an imported image', async () => {
    expect((await isopod('remove')).exitCode).toBe(2)
    expect((await isopod('remove', 'one:1', '--unused')).exitCode).toBe(2)
    expect((await isopod('import', 'file.tar')).stderr).toContain('--as')
  })
})

describe('isopod roots make', () => {
  beforeEach(() => add('isopod/bash:5.2', DIGEST))

  it('does not call a damaged root up to date', async () => {
    expect(await isopod('make', 'bash')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('the root of isopod/bash:5.2 is up to date\n'),
    })
    await rm(rootFile(DIGEST, 'program'))
    const { exitCode, stderr } = await isopod('make', 'bash')
    expect(exitCode).toBe(3)
    expect(stderr).toContain(
      'isopod: the root of isopod/bash:5.2 was damaged (missing /program); isopod roots remove isopod/bash:5.2 while',
    )
  })

  it('leaves out images that the engine lacks, and says how to get them', async () => {
    const { exitCode, stdout, stderr } = await isopod('make', '--json')
    expect(exitCode).toBe(0)
    expect(stdout).toBe(`{"reference":"isopod/bash:5.2","digest":"${DIGEST}","unpacked":false}\n`)
    expect(stderr).toContain('lacks image isopod/ruby:3.3; build it with: npm run images -- ruby\n')
  })

  it('fails if a language that was named has no image, or is none of the catalogue', async () => {
    expect((await isopod('make', 'SH')).exitCode).toBe(0)
    expect((await isopod('make', 'sh', 'rb')).exitCode).toBe(3)
    const { exitCode, stderr } = await isopod('make', 'cobol')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('the catalogue has no language "cobol"; it has bash, ruby')
  })
})

it('the help of isopod roots fits a terminal of 80 columns', async () => {
  for (const words of [[], ['list'], ['make'], ['import'], ['remove'], ['verify']]) {
    const { stdout } = await cli(['roots', ...words, '--help'], { isTTY: true, columns: 80 })
    expect(stdout).toContain('Usage: isopod roots')
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  }
})

describe('isopod roots make without an engine', () => {
  it('builds the images that are named, else the usual ones, and names those without a recipe', async () => {
    const built: unknown[] = []
    const buildRoots: Services['buildRoots'] = async (names) => {
      built.push(names)
      return names.map((name) => ({ reference: name, digest: DIGEST, unpacked: true }))
    }
    const catalogueImages = async () => [
      { names: ['bash', 'sh'] as const, image: 'isopod/bash:5.2' },
      { names: ['mine'] as const, image: 'my/own:1' },
    ]
    const make = (...words: string[]) =>
      cli(['roots', 'make', '--driver', 'process', ...words], {
        env,
        services: { ...services(), buildRoots, catalogueImages },
      })
    const usual = await make()
    expect(usual.exitCode).toBe(0)
    expect(usual.stderr).toContain('isopod: building images with buildah, without an engine\n')
    const named = await make('sh', 'mine')
    expect(named).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('no recipe of image my/own:1'),
    })
    expect(built).toEqual([['python', 'c', 'javascript', 'bash'], ['bash']])
  })
})

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { IMAGE_NAMES, IMAGES } from '@isopod/devstack'
import { expect, inject, it } from 'vitest'
import { docker } from '../support/engine.ts'

const { dockerHost, redisUrl } = inject('stack')
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the script behind `npm run images`. */
function images(...words: string[]): Promise<Ended> {
  const env = { ...process.env, DOCKER_HOST: dockerHost, REDIS_URL: redisUrl }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['scripts/images.mjs', ...words],
      { cwd: ROOT, env },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
      },
    )
  })
}

const layers = async (tag: string) =>
  JSON.parse(
    await docker(dockerHost, 'image', 'inspect', '--format', '{{json .RootFS.Layers}}', tag),
  ) as string[]

it('npm run images without a name lists all images with sizes, and how to build the absent ones', async () => {
  const { code, stdout } = await images()
  expect(code).toBe(0)
  expect(stdout).toMatch(/^cpp +isopod\/cpp:14 +\d+ {2}\d+ on c +ready$/m)
  for (const name of IMAGE_NAMES) {
    const line = stdout.split('\n').find((each) => each.startsWith(`${name} `)) ?? ''
    const state = `(ready|outdated|absent; npm run images -- ${name})$`
    expect(line).toMatch(new RegExp(`^${name} +${IMAGES[name]} .*${state}`))
  }
})

it('npm run images refuses an unknown name and lists the known ones', async () => {
  const { code, stderr } = await images('cpp', 'brainfuck')
  expect(code).toBe(2)
  expect(stderr).toBe(`images: no image is called brainfuck; there are ${IMAGE_NAMES.join(', ')}\n`)
})

it('npm run images does not build an image again that is up to date', async () => {
  const before = await docker(dockerHost, 'image', 'inspect', '--format', '{{.Id}}', IMAGES.cpp)
  expect(await images('cpp')).toMatchObject({ code: 0, stderr: expect.not.stringContaining('buil') })
  expect(await docker(dockerHost, 'image', 'inspect', '--format', '{{.Id}}', IMAGES.cpp)).toBe(before)
})

it('an image that is based on another shares all of its layers', async () => {
  const below = await layers(IMAGES.c)
  const own = await layers(IMAGES.cpp)
  expect(own.slice(0, below.length)).toEqual(below)
  expect(own.length).toBeGreaterThan(below.length)
})

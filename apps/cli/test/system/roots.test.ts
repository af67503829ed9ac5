import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest'
import { isopod } from './isopod.ts'

const IMAGE = 'isopod/bash:5.2'
let folder: string
let env: NodeJS.ProcessEnv

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-cli-roots-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  env = { DOCKER_HOST: inject('stack').dockerHost, ISOPOD_ROOTS_DIR: join(folder, 'roots') }
})

const roots = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await isopod(['roots', ...args], { env })
  return { exitCode, stdout: String(stdout), stderr }
}

it('isopod roots makes, lists, verifies and removes a root of the engine’s image', async () => {
  const made = await roots('make', 'bash', '--json')
  expect(made).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`made the root of ${IMAGE}`) })
  const { digest } = JSON.parse(made.stdout)
  expect(JSON.parse(made.stdout)).toEqual({ reference: IMAGE, digest, unpacked: true })
  expect((await roots('make', 'sh')).stderr).toContain(`the root of ${IMAGE} is up to date`)
  expect((await roots()).stdout).toContain(`${IMAGE}  ${digest.slice(7, 19)}`)
  expect(await roots('verify')).toMatchObject({ exitCode: 0, stdout: `${IMAGE}: as it was unpacked\n` })
  await writeFile(join(folder, 'roots', digest.replace(':', '-'), 'files/usr/bin/bash'), 'another program')
  expect(await roots('verify')).toMatchObject({
    exitCode: 1,
    stdout: `${IMAGE}: CHANGED\n  changed /usr/bin/bash\n`,
  })
  expect((await roots('remove', IMAGE)).exitCode).toBe(0)
  expect(await readdir(join(folder, 'roots'))).toEqual(['references'])
})

it('isopod roots imports an archive under a name of the catalogue', async () => {
  const file = join(folder, 'bash.tar')
  await promisify(execFile)('docker', ['save', '--output', file, IMAGE], { env: { ...process.env, ...env } })
  const { exitCode, stdout } = await roots('import', file, '--as', 'mine/bash:1', '--json')
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { reference: 'mine/bash:1', unpacked: true }])
  expect((await roots('verify', 'mine/bash:1')).exitCode).toBe(0)
  const absent = await roots('import', join(folder, 'absent.tar'), '--as', 'x:1')
  expect(absent).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('isopod: there is no file ') })
})

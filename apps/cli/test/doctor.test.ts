import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRoots } from '@isopod/devstack'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Finding } from '../src/doctor/finding.ts'
import { judgeCatalogue, judgeCgroup, judgeImages } from '../src/doctor/inspect-engine.ts'
import { inspectInit } from '../src/doctor/inspect-init.ts'
import { inspectShims } from '../src/doctor/inspect-shims.ts'
import { judgeRunc } from '../src/doctor/runc-version.ts'
import { cli, fakeClient, IDLE, servicesWith } from './support.ts'

describe('judgeRunc', () => {
  it.each(['1.2.8', '1.2.10', '1.3.3', '1.3.4+ds1', '1.4.0', '2.0.0'])('accepts runc %s', (version) => {
    expect(judgeRunc(version, false).state).toBe('ok')
  })

  it.each(['1.1.5+ds1', '1.1.99', '1.2.7', '1.3.0', '1.3.2', '0.9.9'])(
    'rejects runc %s as workers do, and only warns where workers are set to accept it',
    (version) => {
      const text = expect.stringContaining(version)
      expect(judgeRunc(version, false)).toMatchObject({ state: 'failed', text })
      expect(judgeRunc(version, true)).toMatchObject({ state: 'warning', text })
    },
  )

  it('warns when there is no version to judge', () => {
    expect(judgeRunc(undefined, false).state).toBe('warning')
    expect(judgeRunc('unknown', false).state).toBe('warning')
  })
})

describe('judgeCgroup', () => {
  it('names the limits that the kernel cannot enforce', () => {
    const fine = {
      CgroupVersion: '2',
      CgroupDriver: 'systemd',
      MemoryLimit: true,
      PidsLimit: true,
      SwapLimit: true,
    }
    expect(judgeCgroup(fine)).toMatchObject({ state: 'ok', text: 'v2, driver systemd' })
    expect(judgeCgroup({ ...fine, PidsLimit: false, MemoryLimit: false })).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('memory, processes'),
    })
    expect(judgeCgroup({ ...fine, SwapLimit: false }).state).toBe('warning')
  })
})

describe('judgeImages', () => {
  it('names the missing default images and the command that builds one', () => {
    const { state, text } = judgeImages(['isopod/python:3.13', 'isopod/bash:5.2', 'other:1'])
    expect(state).toBe('absent')
    expect(text).toContain('isopod/javascript:24')
    expect(text).toContain('npm run images -- c javascript')
    expect(text).not.toContain('python')
  })

  it('ignores missing images that are built only on request', () => {
    const usual = ['isopod/python:3.13', 'isopod/bash:5.2', 'isopod/javascript:24', 'isopod/c:14']
    const { state, text } = judgeImages([...usual, 'isopod/lua:5.4'])
    expect(state).toBe('ok')
    expect(text).toMatch(/^5 of \d+: python, javascript, bash, c, lua; npm run images lists all$/)
  })
})

describe('judgeCatalogue', () => {
  const language = (name: string, missingImage?: string) => ({
    name,
    version: '1',
    aliases: [],
    ...(missingImage === undefined ? {} : { missingImage }),
  })

  it('fails for a missing image that this repository cannot build', () => {
    expect(judgeCatalogue([language('python'), language('zig', 'acme/zig:1')])).toMatchObject({
      state: 'failed',
      text: '1 of the 2 languages of the workers have their image; build or pull acme/zig:1, which the catalogue names',
    })
  })

  it('names the command for missing default images, and ignores other images that can be built', () => {
    const missing = [language('python', 'isopod/python:3.13'), language('lua', 'isopod/lua:5.4')]
    expect(judgeCatalogue(missing)).toMatchObject({
      state: 'absent',
      text: expect.stringContaining('npm run images -- python builds'),
    })
    expect(judgeCatalogue([language('python'), language('lua', 'isopod/lua:5.4')]).state).toBe('ok')
  })
})

describe('inspectInit', () => {
  it('names the command that builds a missing init', async () => {
    const finding = await inspectInit('/nowhere/')
    expect([finding.state, finding.text]).toEqual(['absent', expect.stringContaining('npm run setup')])
  })
})

describe('isopod doctor', () => {
  it('names each service that does not answer and the remedy, with exit code 3', async () => {
    const services = {
      ...servicesWith(fakeClient().client),
      connect: () => Promise.reject(new Error('Redis at redis://x is not available; start it')),
    }
    const env = { REDIS_URL: 'redis://x', DOCKER_HOST: 'unix:///nowhere.sock' }
    const { exitCode, stdout } = await cli(['doctor'], { env, services })
    expect(exitCode).toBe(3)
    expect(stdout).toMatch(/^✗ redis +Redis at redis:\/\/x is not available; start it$/m)
    expect(stdout).toMatch(
      /^✗ engine +DOCKER_HOST unix:\/\/\/nowhere\.sock does not answer \(ENOENT\); start/m,
    )
  })

  it.each([
    [0, 'none is running; isopod up starts one'],
    [3, 'none is running, and 3 jobs wait; isopod up starts one'],
  ])('warns if the workers of the languages are gone and %i jobs wait', async (waiting, text) => {
    const { client } = fakeClient()
    const queue = async () => ({ ...IDLE, workers: 0, slots: 0, waiting })
    const env = { DOCKER_HOST: 'unix:///nowhere.sock' }
    const { stdout } = await cli(['doctor', '--json'], { env, services: servicesWith({ ...client, queue }) })
    expect(stdout).toContain(`{"state":"warning","subject":"workers","text":"${text}"}`)
  })

  it('says how many results nobody has taken', async () => {
    const { client } = fakeClient()
    const queue = async () => ({ ...IDLE, untaken: { results: 3, bytes: 2 ** 21, oldestAgeSeconds: 61.4 } })
    const env = { DOCKER_HOST: 'unix:///nowhere.sock' }
    const { stdout } = await cli(['doctor', '--json'], { env, services: servicesWith({ ...client, queue }) })
    const text = '3 not taken yet, 2.0 MiB in Redis; the oldest is 61.4 s old'
    expect(stdout).toContain(`{"state":"ok","subject":"results","text":"${text}"}`)
  })

  it('prints one JSON object per line with --json', async () => {
    const { stdout } = await cli(['doctor', '--json'], { env: { DOCKER_HOST: 'unix:///nowhere.sock' } })
    const findings = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(findings).toContainEqual({
      state: 'ok',
      subject: 'workers',
      text: '1 running, 4 jobs at once; can run python',
    })
  })

  it('prints one line for each part of the stack', async () => {
    const { stdout } = await cli(['doctor'], { env: { DOCKER_HOST: 'unix:///nowhere.sock' } })
    expect(stdout).toMatch(/^✓ redis +redis:\/\/test$/m)
    expect(stdout).toMatch(/^✓ workers +1 running, 4 jobs at once; can run python$/m)
    expect(stdout).toMatch(/^[✓–] init /m)
  })
})

describe('inspectShims', () => {
  /** A folder like `/proc`, on a host that has been up for 1000 s. */
  async function procOf(...processes: [pid: number, name: string, parent: number, age: number][]) {
    const proc = await mkdtemp(join(tmpdir(), 'isopod-proc-'))
    onTestFinished(() => rm(proc, { recursive: true }))
    await writeFile(join(proc, 'uptime'), '1000.00 900.00\n')
    for (const [pid, name, parent, age] of processes) {
      const between = '0 '.repeat(17)
      await mkdir(join(proc, String(pid)))
      await writeFile(
        join(proc, String(pid), 'stat'),
        `${pid} (${name}) S ${parent} ${between}${(1000 - age) * 100} 0\n`,
      )
    }
    return proc
  }

  it('counts the shims without a container, and names how to end them', async () => {
    const proc = await procOf(
      [10, 'containerd-shim', 1, 500],
      [11, 'isopod-init (x)', 10, 400],
      [20, 'containerd-shim', 1, 500],
      [30, 'containerd-shim', 1, 5],
    )
    expect(await inspectShims(proc)).toEqual([
      {
        state: 'warning',
        subject: 'shims',
        text: '1 of 3 have no container, left by a containerd that was killed; end them with: kill -9 20',
      },
    ])
  })

  it('is content with shims that have their container, and silent where there is none', async () => {
    const proc = await procOf([10, 'containerd-shim', 1, 500], [11, 'init', 10, 500])
    expect(await inspectShims(proc)).toMatchObject([{ state: 'ok', text: '1, each with its container' }])
    expect(await inspectShims(await procOf([1, 'init', 0, 900]))).toEqual([])
    expect(await inspectShims('/nonexistent')).toEqual([])
  })
})

describe('isopod doctor --driver process', () => {
  it('names missing and damaged roots, and asks for no engine', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'isopod-doctor-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const env = {
      ISOPOD_ROOTS_DIR: join(folder, 'roots'),
      REDIS_URL: undefined,
      DOCKER_HOST: 'unix:///absent',
    }
    const store = await openRoots(env)
    const digest = `sha256:${'a'.repeat(64)}`
    const unpack = (files: string) => writeFile(join(files, 'program'), 'x')
    await store.add({ reference: 'isopod/bash:5.2', digest, unpack })
    await writeFile(join(env.ISOPOD_ROOTS_DIR, digest.replace(':', '-'), 'files/program'), 'y')
    const { stdout } = await cli(['doctor', '--driver', 'process', '--json'], { env })
    const findings = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Finding)
    const subjects = [
      'redis',
      ...['users', 'cgroups', 'overlay', 'seccomp', 'memlock', 'state'],
      ...['roots', 'roots', 'init'],
    ]
    expect(findings.map(({ subject }) => subject)).toEqual(subjects)
    expect(findings.filter(({ subject }) => subject === 'roots')).toEqual([
      { state: 'absent', subject: 'roots', text: expect.stringContaining('python, c, javascript in') },
      {
        state: 'failed',
        subject: 'roots',
        text: 'that of isopod/bash:5.2 was damaged (changed /program); isopod roots remove isopod/bash:5.2 while no worker uses it, then make it again',
      },
    ])
  })
})

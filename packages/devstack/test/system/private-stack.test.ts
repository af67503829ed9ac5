import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { checkEngine } from '../../src/engine/engine-api.ts'
import { mountsBelow } from '../../src/engine/leftovers.ts'
import { IMAGES } from '../../src/images/image-names.ts'
import { type Paths, stackPaths } from '../../src/paths.ts'
import { isRunning } from '../../src/process/process-identity.ts'
import { checkRedis } from '../../src/redis/redis-ping.ts'
import { runCommand } from '../../src/run-command.ts'
import { type EngineStack, ensureStack } from '../../src/stack/stack.ts'
import { stackDown } from '../../src/stack/stack-down.ts'
import { readRecord, updateRecord } from '../../src/stack-record.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let env: NodeJS.ProcessEnv
let paths: Paths
let said: string[]
const log = (line: string) => void said.push(line)

beforeEach(async () => {
  said = []
  env = { ...process.env, ISOPOD_STATE_DIR: join(await temporaryFolder(), 'state') }
  paths = stackPaths(env)
})

afterEach(() => stackDown({ env, purge: true }))

function up(): Promise<EngineStack> {
  return ensureStack({ env, log, privateOnly: true, workers: 0, images: [] })
}

function docker(dockerHost: string, ...words: string[]): Promise<string> {
  return runCommand(['docker', ...words], { env: { ...process.env, DOCKER_HOST: dockerHost } })
}

/** A running container of the private engine, from an image that the tests' engine has. */
async function startContainer(dockerHost: string): Promise<string> {
  const file = join(paths.state, 'image.tar')
  await docker(inject('stack').dockerHost, 'save', '-o', file, IMAGES.bash)
  await docker(dockerHost, 'load', '-i', file)
  return await docker(
    dockerHost,
    'run',
    '-d',
    '--network',
    'none',
    '-v',
    'kept:/v',
    IMAGES.bash,
    'sleep',
    '777',
  )
}

async function processesNaming(word: string): Promise<string[]> {
  const lines = (await runCommand(['ps', '-eo', 'stat,args'])).split('\n')
  return lines.filter((line) => line.includes(word) && !line.startsWith('Z'))
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}

async function expectNothingLeft(): Promise<void> {
  expect(await processesNaming(paths.runtime)).toEqual([])
  expect(await processesNaming(paths.state)).toEqual([])
  expect(await processesNaming('sleep 777')).toEqual([])
  expect(mountsBelow(await readFile('/proc/self/mountinfo', 'utf8'), [paths.state, paths.runtime])).toEqual(
    [],
  )
  expect(await exists(paths.runtime)).toBe(false)
  expect(await exists(paths.redis)).toBe(false)
}

// Only a private engine needs root.
describe('a private stack', () => {
  beforeEach((context) => context.skip(process.getuid?.() !== 0, 'a private engine needs root'))

  it('starts once, and leaves nothing but its images when it is stopped', async () => {
    const stack = await up()
    expect(stack).toMatchObject({ id: paths.id, redis: { ours: true }, engine: { ours: true }, workers: [] })
    expect(await checkRedis(stack.redis.url)).toBeUndefined()
    expect(await checkEngine(stack.engine.dockerHost)).toBeUndefined()
    expect(said).toHaveLength(2)

    expect(await up()).toEqual(stack)
    expect(said).toHaveLength(2)

    await startContainer(stack.engine.dockerHost)
    await stackDown({ env, log })
    await expectNothingLeft()
    expect(said.slice(2)).toEqual([
      'stopped the private Docker engine',
      'stopped the private Redis',
      expect.stringMatching(
        /^kept the images for the next time \([^)]+\); npm run down -- --purge deletes them$/,
      ),
    ])

    await stackDown({ env, log })
    expect(said).toHaveLength(5)

    const { engine } = await up()
    expect(await docker(engine.dockerHost, 'images', '-q', IMAGES.bash)).not.toBe('')
    expect(await docker(engine.dockerHost, 'ps', '-aq')).toBe('')
    expect(await docker(engine.dockerHost, 'volume', 'ls', '-q')).toBe('')
    await stackDown({ env, log, purge: true })
    expect(await exists(paths.state)).toBe(false)
  })

  it('is cleaned up after a crash, including running containers', async () => {
    const stack = await up()
    await startContainer(stack.engine.dockerHost)
    const { engine, redis } = await readRecord(paths)
    for (const identity of [engine?.dockerd, engine?.containerd, redis?.process]) {
      if (identity) process.kill(identity.pid, 'SIGKILL')
    }
    await stackDown({ env, log })
    await expectNothingLeft()
    const again = await up()
    expect(await docker(again.engine.dockerHost, 'ps', '-aq')).toBe('')
    expect(await docker(again.engine.dockerHost, 'volume', 'ls', '-q')).toBe('')
  })

  it('is started once by two concurrent callers', async () => {
    const [one, other] = await Promise.all([up(), up()])
    expect(one).toEqual(other)
    expect(said.filter((line) => line.startsWith('started'))).toHaveLength(2)
  })

  it('kills no other process that has a recorded pid', async () => {
    await up()
    const record = await readRecord(paths)
    const stranger = { pid: process.pid, startedAt: 'another boot:1' }
    const dockerHost = record.engine?.dockerHost ?? ''
    await updateRecord(paths, () => ({
      redis: { process: stranger, url: '' },
      engine: { dockerd: stranger, containerd: stranger, dockerHost },
      workers: [{ process: stranger, url: '', redisUrl: '', dockerHost, log: '', settings: '' }],
      visited: [],
    }))
    await stackDown({ env, log })
    expect(said.at(-1)).not.toBe('stopped the worker')
    // The changed record no longer names these processes, so stackDown cannot end them.
    for (const identity of [record.engine?.dockerd, record.engine?.containerd, record.redis?.process]) {
      if (identity && isRunning(identity)) process.kill(identity.pid, 'SIGKILL')
    }
  })
})

describe('services that run already', () => {
  it('are used and never stopped', async () => {
    const { redisUrl, dockerHost } = inject('stack')
    env = { ...env, REDIS_URL: redisUrl, DOCKER_HOST: dockerHost }
    const stack = await ensureStack({ env, log, workers: 0, images: [] })
    expect(stack).toMatchObject({
      redis: { url: redisUrl, ours: false },
      engine: { dockerHost, ours: false },
    })
    const mine = await docker(
      dockerHost,
      ...['create', '--network', 'none', '--label', `isopod.stack=${stack.id}`, IMAGES.bash, 'true'],
    )
    const other = await docker(dockerHost, 'create', '--network', 'none', IMAGES.bash, 'true')
    onTestFinished(() => void docker(dockerHost, 'rm', '-f', other))
    await updateRecord(paths, (record) => ({ ...record, visited: [dockerHost] }))
    await stackDown({ env, log })
    const left = await docker(dockerHost, 'ps', '-aq', '--no-trunc')
    expect(left).toContain(other)
    expect(left).not.toContain(mine)
    expect(await checkRedis(redisUrl)).toBeUndefined()
    expect(said).toEqual([])
  })

  it('are replaced by private ones, with a log line, when they do not answer', async () => {
    env = { ...env, REDIS_URL: 'redis://:s3cret@127.0.0.1:1', DOCKER_HOST: inject('stack').dockerHost }
    const stack = await ensureStack({ env, log, workers: 0, images: [] })
    expect(stack.redis.ours).toBe(true)
    expect(said).toEqual([
      'REDIS_URL redis://:***@127.0.0.1:1 does not answer (ECONNREFUSED): using a private Redis instead',
      'started a private Redis',
    ])
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, inject, it, onTestFinished } from 'vitest'
import { imageStates } from '../../src/images/image-states.ts'
import { stackPaths } from '../../src/paths.ts'
import { identifyProcess } from '../../src/process/process-identity.ts'
import { checkService } from '../../src/process/service-process.ts'
import { startWorker } from '../../src/process/worker-process.ts'
import { startRedisServer } from '../../src/redis/redis-server.ts'
import { ensureStack, findStack, type Stack } from '../../src/stack/stack.ts'
import { stackDown } from '../../src/stack/stack-down.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let env: NodeJS.ProcessEnv
let logged: string[]
const log = (line: string) => void logged.push(line)

beforeEach(async () => {
  // A new Redis, so that these workers leave no keys in a shared one.
  const redis = await startRedisServer({ directory: await temporaryFolder() })
  onTestFinished(() => redis.stop())
  logged = []
  env = {
    ...process.env,
    ISOPOD_STATE_DIR: join(await temporaryFolder(), 'state'),
    REDIS_URL: redis.url,
    DOCKER_HOST: inject('stack').dockerHost,
    // These specs are about the processes of workers, not their containers.
    ISOPOD_SELF_TEST: 'false',
  }
})

afterEach(() => stackDown({ env }))

function up(workers: number, more: NodeJS.ProcessEnv = {}): Promise<Stack> {
  return ensureStack({ env: { ...env, ...more }, log, workers, images: [] })
}

it('workers outlive their starter, are found again, and are not started twice', async () => {
  expect(await findStack({ env })).toBeUndefined()
  const one = await up(1)
  expect(one.workers).toHaveLength(1)
  expect(logged).toEqual([
    expect.stringMatching(/^started a worker \(http:\/\/127\.0\.0\.1:\d+\/metrics, log /),
  ])

  expect(await up(1)).toEqual(one)
  expect(await findStack({ env })).toEqual(one)
  expect(logged).toHaveLength(1)

  const two = await up(2)
  expect(two.workers[0]).toEqual(one.workers[0])
  expect(two.workers[1]?.pid).not.toBe(one.workers[0]?.pid)

  await stackDown({ env, log })
  expect(logged.at(-1)).toBe('stopped 2 workers')
  expect(two.workers.map(({ pid }) => identifyProcess(pid))).toEqual([undefined, undefined])
  expect(await findStack({ env })).toBeUndefined()
})

it('workers are replaced when a setting has changed or when they have died', async () => {
  const first = (await up(1)).workers[0]
  const other = (await up(1, { ISOPOD_SLOTS: '1' })).workers[0]
  expect(other?.pid).not.toBe(first?.pid)
  expect(identifyProcess(first?.pid ?? 0)).toBeUndefined()

  process.kill(other?.pid ?? 0, 'SIGKILL')
  const third = await up(1, { ISOPOD_SLOTS: '1' })
  expect(third.workers).toHaveLength(1)
  expect(third.workers[0]?.pid).not.toBe(other?.pid)
  const { url = '', pid = 0 } = third.workers[0] ?? {}
  expect(await checkService(url, pid)).toBeUndefined()
  expect(await checkService(url, pid + 1)).toBe('does not answer')
})

it('workers that do not start report the reason with the end of their log', async () => {
  await expect(up(1, { ISOPOD_SLOTS: 'many' })).rejects.toThrow(
    /^the worker ended before it was ready; the end of .*worker-1\.log:\n.*ISOPOD_SLOTS: must be a whole number/,
  )
  expect(await findStack({ env })).toBeUndefined()
})

it('workers that are not detached stop on request, and log to the given file', async () => {
  const [redisUrl = '', dockerHost = ''] = [env['REDIS_URL'], env['DOCKER_HOST']]
  const log = join(await temporaryFolder(), 'logs', 'worker.log')
  const worker = await startWorker({ redisUrl, dockerHost, log, env, stack: stackPaths(env).id })
  onTestFinished(() => worker.stop())
  expect((await fetch(`${worker.url}/metrics`)).status).toBe(200)
  expect(await readFile(log, 'utf8')).toMatch(/^\{/)
  await Promise.all([worker.stop(), worker.stop()])
  expect(await checkService(worker.url, worker.process.pid)).toBe('does not answer')
  expect(identifyProcess(worker.process.pid)).toBeUndefined()
})

// promise: builds-beside
it('workers start while an image that they do not need is built; one that needs it waits, and names the builder', async (context) => {
  const engine = { dockerHost: env['DOCKER_HOST'] ?? '', ours: false }
  const absent = (await imageStates(engine)).find(({ name, state }) => name !== 'bash' && state !== 'ready')
  if (absent === undefined) return context.skip('the engine has every image already')
  const lock = join(stackPaths(env).imageLocks, absent.name)
  const start = (script: string, ...args: string[]) => {
    const file = fileURLToPath(new URL(`../support/${script}.ts`, import.meta.url))
    const child = spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  const builder = start('lock-holder', lock, join(await temporaryFolder(), 'log'), '60000')
  await expect.poll(() => readFile(lock, 'utf8').catch(() => '')).toContain(String(builder.pid))
  const user = start('image-user', absent.name)
  const [line] = (await once(user.stdout, 'data')) as [Buffer]
  expect(String(line)).toMatch(new RegExp(`^waiting for lock-holder \\(process ${builder.pid}, since `))
  const running = await ensureStack({ env, log, workers: 0, images: ['bash'] })
  expect(running.engine.dockerHost).toBe(engine.dockerHost)
  expect(logged.join()).not.toContain('waiting')
})

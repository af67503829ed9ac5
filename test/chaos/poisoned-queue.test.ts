import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SIMULATED_LAUNCHER } from '../bench/cases/simulated.ts'
import { eventually } from '../support/eventually.ts'
import { redisCli } from '../support/redis.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

/** Names of BullMQ's own keys of a queue, in this and in other releases. As job ids they would collide with these keys. */
const NAMES = [
  ...[
    'active',
    'wait',
    'waiting-children',
    'paused',
    'id',
    'delayed',
    'prioritized',
    'stalled-check',
    'completed',
  ],
  ...['failed', 'stalled', 'repeat', 'limiter', 'meta', 'events', 'pc', 'marker', 'de', 'priority', 'delay'],
]

let folder: string
let redis: RedisServer
let world: World

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-poison-'))
  redis = await startRedisServer({ directory: folder })
  world = await startWorld({ redisUrl: redis.url, workers: 2, launcher: SIMULATED_LAUNCHER })
})

afterAll(async () => {
  await world?.close()
  await redis?.stop()
  await rm(folder, { recursive: true, force: true })
})

const command = (...args: string[]) => redisCli(redis.url, ...args)
const key = (name: string) => `{${world.prefix}}:jobs:${name}`

/** Number of commands that Redis has run, including those in scripts. */
async function commandsRun(): Promise<number> {
  const lines = await command('INFO', 'commandstats')
  return lines.reduce((sum, line) => sum + Number(/calls=(\d+)/.exec(line)?.[1] ?? 0), 0)
}

async function push(...ids: string[]): Promise<void> {
  await command('LPUSH', key('wait'), ...ids)
  await command('ZADD', key('marker'), '0', '0')
}

const JOB = { language: 'bash', code: 'echo 1' }

/** Expects that a job runs, and that afterwards the idle workers do not retry broken entries in a tight loop. */
async function expectHealthy(): Promise<void> {
  const result = await Promise.race([world.client.run(JOB), sleep(scaled(15_000), undefined)])
  expect(result).toMatchObject({ status: 'success', stdout: '1\n' })
  const before = await commandsRun()
  await sleep(1500)
  // Two idle workers ask for jobs at most 20 times a second, with a few commands each.
  expect((await commandsRun()) - before).toBeLessThan(500)
}

// promise: poisoned-queue
it('job ids that are names of BullMQ’s keys neither stop a worker nor make it poll without pause', async () => {
  await push(...NAMES, ...NAMES, ...NAMES)
  await expectHealthy()
  for (const name of NAMES) {
    await push(name)
    expect((await world.client.run(JOB)).status).toBe('success')
  }
  await expectHealthy()
})

it('workers go on after other queue entries that are not jobs', async () => {
  await command('SET', key('a-text'), 'x')
  await command('SADD', key('a-set'), 'x')
  await command('HSET', key('a-hash'), 'ats', 'x', 'data', '{', 'opts', '[')
  await push('a-text', 'a-set', 'a-hash', 'ghost', 'a:b', '0:1', ' ', '\u202e')
  for (const made of ['string.rep("x", 1000000)', 'string.char(255, 254, 0, 195)', '""']) {
    await command('EVAL', `redis.call("LPUSH", KEYS[1], ${made})`, '1', key('wait'))
  }
  await expectHealthy()
})

it('workers go on after keys of the queue had the wrong type', async () => {
  for (const name of ['wait', 'meta', 'marker', 'delayed', 'active']) await command('SET', key(name), 'x')
  await eventually(
    async () =>
      Promise.all(['wait', 'meta', 'marker', 'delayed', 'active'].map((name) => command('TYPE', key(name)))),
    (types) => types.every(([type]) => type !== 'string'),
    30_000,
  )
  await expectHealthy()
})

it('the workers’ logs report broken entries in few lines, and the metrics count them', async () => {
  for (const index of [0, 1]) {
    const lines = (await world.written(index)).split('\n')
    const warnings = lines.filter((line) => /"level":"(warn|error|fatal)"/.test(line))
    expect(warnings.length).toBeLessThan(150)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(4000)
  }
  const reported = (await world.log()).filter(
    ({ msg }) => msg === 'moved entries that are not jobs out of the queue',
  )
  expect(reported.length).toBeGreaterThan(0)
  const metrics = await Promise.all(
    world.workers.map(async ({ url }) => await (await fetch(`${url}/metrics`)).text()),
  )
  const counted = metrics.join().matchAll(/isopod_queue_quarantined\{reason="(\w+)"\} (\d+)/g)
  const counts = Object.fromEntries([...counted].map(([, reason, count]) => [reason, Number(count)]))
  expect(counts['reserved']).toBe(4 * NAMES.length)
  expect(counts['malformed']).toBe(7)
  expect(counts['wrong_type']).toBe(2)
  expect(counts['structure']).toBeGreaterThanOrEqual(5)
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

let folder: string
let redis: RedisServer
let world: World

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-redis-'))
  redis = await startRedisServer({ directory: folder, persistent: true })
  world = await startWorld({ redisUrl: redis.url, workers: 2 })
})

afterAll(async () => {
  await world?.close()
  await redis?.stop()
  await rm(folder, { recursive: true, force: true })
})

// promise: exactly-once
it('no result is lost or duplicated when Redis restarts while jobs run', async () => {
  const received: string[] = []
  const done = Promise.withResolvers<void>()
  const jobs = Array.from({ length: 16 }, (_, index) => ({
    language: 'bash',
    code: `sleep 0.7; echo ${index}`,
    replyTo: 'restart',
  }))
  const consumer = world.client.results(
    async ({ id, status }) => {
      expect(status).toBe('success')
      received.push(id)
      if (received.length >= jobs.length) done.resolve()
    },
    { replyTo: 'restart' },
  )
  const ids = await world.client.submitMany(jobs)
  await expect.poll(() => received.length, { timeout: scaled(30_000) }).toBeGreaterThan(0)
  await redis.stop()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  redis = await startRedisServer({ directory: folder, persistent: true })
  await done.promise
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await consumer.close()
  expect(received.sort()).toEqual([...ids].sort())
})

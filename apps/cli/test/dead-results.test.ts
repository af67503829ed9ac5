import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, openDeadResults } from '@isopod/client'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cli, fakeClient, servicesWith } from './support.ts'

let directory: string
let server: RedisServer

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isopod-dead-results-'))
  server = await startRedisServer({ directory })
})

afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

const results = (...args: string[]) =>
  cli(['results', ...args], {
    env: { REDIS_URL: server.url },
    services: { ...servicesWith(fakeClient().client), openDeadResults: (url) => openDeadResults({ url }) },
  })

it('isopod results lists dead results and delivers them again', async () => {
  expect((await results('dead')).stderr).toContain('no dead results')
  const client = await connect({ url: server.url })
  // A cancelled job has a result without a worker.
  const id = await client.submit({ code: '1', replyTo: 'grades' })
  await client.cancel(id)
  const handled: string[] = []
  const consumer = client.results(
    async (result) => {
      handled.push(result.id)
      if (handled.length === 1) throw new Error('no\x1b[2Jdatabase')
    },
    { replyTo: 'grades', maxDeliveries: 1 },
  )
  while ((await results('dead')).stdout === '') await sleep(50)

  const line = new RegExp(`^${id}  grades  20\\S+  deliveries 1  no.*database\\n$`)
  expect((await results('dead', '--reply-to', 'grades')).stdout).toMatch(line)
  expect((await results('dead')).stdout).not.toContain('\x1b')
  expect((await results('dead', '--reply-to', 'other')).stdout).toBe('')
  expect(JSON.parse((await results('dead', '--json')).stdout)).toMatchObject({
    ...{ id, replyTo: 'grades', deliveries: 1 },
    givenUpAt: expect.stringMatching(/Z$/),
  })

  expect(await results('redeliver', 'j-none')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/j-none has no dead result.*0 of 1/s),
  })
  expect(await results('redeliver', '--all')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('1 of 1'),
  })
  while (handled.length < 2) await sleep(50)
  expect((await results('dead')).stderr).toContain('no dead results')
  await consumer.close()
  await client.close()
})

it.each([[['redeliver']], [['redeliver', 'j-1', '--all']]])('refuses %j', async (args) => {
  expect(await results(...args)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('ids or --all'),
  })
})

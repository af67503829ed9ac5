import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type IsopodClient } from '@isopod/client'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Access, openAccess } from '../src/index.ts'

let directory: string
let server: RedisServer
let access: Access
let client: IsopodClient

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isopod-batches-'))
  server = await startRedisServer({ directory })
  access = await openAccess({ url: server.url })
  client = await connect(server.url)
})

afterAll(async () => {
  access.close()
  await client.close()
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

/** Records a batch whose jobs wait forever, because there is no worker. */
async function recorded(id: string, jobs = 3) {
  const executions = await client.submitMany(
    Array.from({ length: jobs }, () => ({ code: 'x', replyTo: 'none' })),
  )
  const batch = { id, tenant: 'a', name: null, submittedAt: 1, executions, tests: executions.map(() => null) }
  await access.batches.record(batch)
  return batch
}

describe('a batch', () => {
  it('is read back as it was recorded, and cannot be recorded again', async () => {
    const batch = await recorded('b-1')
    expect(await access.batches.find('b-1')).toEqual(batch)
    await access.batches.record({ ...batch, tenant: 'b', executions: ['j-other'], tests: [null] })
    expect(await access.batches.find('b-1')).toEqual(batch)
    expect(await access.batches.find('b-none')).toBeUndefined()
  })

  it('is not found under the names of its other Redis keys', async () => {
    await recorded('b-parts')
    await access.batches.claim('b-parts', 'content')
    for (const part of ['executions', 'unnoted', 'ends', 'fingerprint']) {
      expect(await access.batches.find(`b-parts:${part}`)).toBeUndefined()
    }
  })

  it('lists which unrecorded executions have ended or are lost', async () => {
    const { executions } = await recorded('b-2')
    expect(await access.batches.readUnrecorded('b-2')).toEqual({ running: [], ended: [], lost: [] })
    await client.cancel(executions[1] ?? '')
    expect(await access.batches.readUnrecorded('b-2')).toEqual({ running: [], ended: [1], lost: [] })
    const lost = { id: 'b-3', tenant: 'a', name: 'n', submittedAt: 1, executions: ['j-gone'], tests: [2] }
    await access.batches.record(lost)
    expect(await access.batches.readUnrecorded('b-3')).toEqual({ running: [], ended: [], lost: [0] })
  })

  it('records the end of each execution once, in order', async () => {
    const { executions } = await recorded('b-4')
    const end = (index: number) => ({
      index,
      id: executions[index] ?? '',
      status: 'success',
      outcome: 'passed' as const,
    })
    await access.batches.recordEnds('b-4', [end(2)])
    await Promise.all([
      access.batches.recordEnds('b-4', [end(0), end(2)]),
      access.batches.recordEnds('b-4', [end(0)]),
    ])
    expect(await access.batches.ends('b-4')).toEqual([end(2), end(0)])
    expect(await access.batches.ends('b-4', 1)).toEqual([end(0)])
    await access.batches.recordEnds('b-none', [end(1)])
    expect(await access.batches.ends('b-none')).toEqual([])
  })
})

describe('the claim of an id', () => {
  it('succeeds once, for one content, until it is withdrawn', async () => {
    expect(await access.batches.claim('b-5', 'x')).toBe('claimed')
    expect(await access.batches.claim('b-5', 'x')).toBe('same')
    expect(await access.batches.claim('b-5', 'y')).toBe('other')
    await access.batches.withdraw('b-5')
    expect(await access.batches.claim('b-5', 'y')).toBe('claimed')
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@isopod/client'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { openDeploymentRedis } from '@isopod/queue'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Access, openAccess } from '../src/index.ts'

let directory: string
let server: RedisServer
let access: Access

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isopod-access-'))
  server = await startRedisServer({ directory })
  access = await openAccess({ url: server.url })
})

afterAll(async () => {
  access.close()
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

describe('API keys', () => {
  it('are found by their token until they are revoked', async () => {
    const { key, token } = await access.keys.create({ name: 'ci', tenant: 'a', scopes: ['submit'] })
    expect(await access.keys.find(token)).toEqual(key)
    expect(await access.keys.list()).toContainEqual(key)
    expect(await access.keys.revoke(key.id)).toBe(true)
    expect(await access.keys.find(token)).toBeUndefined()
    expect(await access.keys.revoke(key.id)).toBe(false)
  })

  it('are stored without their secret', async () => {
    const { key, token } = await access.keys.create({ name: 'x', tenant: 'a', scopes: ['read'] })
    expect(JSON.stringify(await access.keys.list())).not.toContain(token.slice(-43))
    expect(key.secretHash).toMatch(/^[0-9a-f]{64}$/)
  })

  it('are not found by a wrong secret, another id or a malformed token', async () => {
    const { token } = await access.keys.create({ name: 'x', tenant: 'a', scopes: ['read'] })
    const flipped = token.slice(0, -2) + (token.at(-2) === 'A' ? 'B' : 'A') + token.slice(-1)
    const other = token.replace(/_[a-z0-9]{12}_/, '_000000000000_')
    for (const wrong of [flipped, other, '', 'isopod_', `${token}x`, token.toUpperCase()]) {
      expect(await access.keys.find(wrong), wrong).toBeUndefined()
    }
  })

  it('are not found after they expire', async () => {
    const past = { name: 'x', tenant: 'a', scopes: ['read'] as const, expiresAt: Date.now() - 1000 }
    const { token } = await access.keys.create(past)
    expect(await access.keys.find(token)).toBeUndefined()
  })
})

describe('rate limits', () => {
  it('refuse requests above the limit and return the seconds to wait', async () => {
    const waits = []
    for (let request = 0; request < 4; request++) waits.push(await access.rates.take('k1', 3))
    expect(waits.slice(0, 3)).toEqual([0, 0, 0])
    expect(waits[3]).toBeGreaterThan(0)
    expect(waits[3]).toBeLessThanOrEqual(60)
    expect(await access.rates.take('k2', 3)).toBe(0)
  })
})

describe('budgets of unfinished executions', () => {
  it('admit executions up to the limit, also concurrently, and again when executions end', async () => {
    const client = await connect({ url: server.url })
    onTestFinished(() => client.close())
    const asked = await Promise.all(Array.from({ length: 20 }, () => access.executions.admit('k', 1, 5)))
    const admitted = asked.filter((one) => one !== undefined)
    expect(admitted).toHaveLength(5)
    const ids = await client.submitMany(admitted.map(() => ({ code: 'x' })))
    await Promise.all(admitted.map((one, index) => one.settle([ids[index] ?? ''])))
    expect(await access.executions.admit('k', 1, 5)).toBeUndefined()
    await client.cancel(ids[0] ?? '')
    expect(await access.executions.admit('k', 2, 5)).toBeUndefined()
    expect(await access.executions.admit('k', 1, 5)).toBeDefined()
  })

  it('are forgotten with the results of their executions', async () => {
    const reservation = await access.executions.admit('forgotten', 1, 5)
    await reservation?.settle(['j-1'])
    const deployment = await openDeploymentRedis({ url: server.url })
    onTestFinished(() => deployment.close())
    const ttl = await deployment.ask((redis) => redis.ttl('{isopod}:access:in-flight:forgotten'))
    expect(ttl).toBeGreaterThan(0)
  })

  it('get released executions back', async () => {
    const held = await access.executions.admit('released', 3, 3)
    await held?.release()
    expect(await access.executions.admit('released', 3, 3)).toBeDefined()
  })
})

describe('the executions of a tenant', () => {
  it('are listed newest first in pages, optionally by a label', async () => {
    for (const id of ['j1', 'j2', 'j3']) {
      await access.executions.record('t', [{ id, labels: { kind: id === 'j2' ? 'even' : 'odd' } }])
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    const first = await access.executions.list('t', { limit: 2 })
    expect(first.executions.map(({ id }) => id)).toEqual(['j3', 'j2'])
    const last = await access.executions.list('t', { limit: 2, cursor: first.cursor ?? '' })
    expect(last).toMatchObject({ executions: [{ id: 'j1' }], cursor: undefined })
    const odd = await access.executions.list('t', { limit: 10, label: 'kind=odd' })
    expect(odd.executions.map(({ id }) => id)).toEqual(['j3', 'j1'])
    expect(await access.executions.list('t', { limit: 10, cursor: 'gone' })).toEqual({ executions: [] })
  })

  it('are forgotten when their results expire, even if newer executions exist', async () => {
    const brief = await openAccess({ url: server.url, resultTtlSeconds: 2 })
    onTestFinished(() => brief.close())
    await brief.executions.record('brief', [{ id: 'old', labels: { run: '1' } }])
    expect(await brief.executions.belongs('brief', 'old')).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await brief.executions.record('brief', [{ id: 'new', labels: { run: '1' } }])
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await brief.executions.record('brief', [{ id: 'newer', labels: { run: '1' } }])
    for (const label of [undefined, 'run=1']) {
      const { executions } = await brief.executions.list('brief', { limit: 10, ...(label && { label }) })
      expect(executions.map(({ id }) => id)).toEqual(['newer', 'new'])
    }
    expect(await brief.executions.belongs('brief', 'old')).toBe(false)
  })

  it('belong to no other tenant', async () => {
    await access.executions.record('mine', [{ id: 'j9' }])
    expect(await access.executions.belongs('mine', 'j9')).toBe(true)
    expect(await access.executions.belongs('yours', 'j9')).toBe(false)
    expect(await access.executions.list('yours', { limit: 10 })).toEqual({ executions: [] })
  })
})

describe.concurrent('a Redis that does not answer', () => {
  it.for([
    ['hangs', 'SIGSTOP'],
    ['is gone', 'SIGKILL'],
  ] as const)(
    'and %s makes each call fail within seconds with the code unavailable',
    async ([, signal], { onTestFinished }) => {
      const folder = await mkdtemp(join(tmpdir(), 'isopod-access-'))
      const silent = await startRedisServer({ directory: folder })
      const { keys, rates, executions, close } = await openAccess({ url: silent.url })
      onTestFinished(async () => {
        close()
        if (signal === 'SIGSTOP') process.kill(silent.pid, 'SIGCONT')
        await silent.stop()
        await rm(folder, { recursive: true, force: true })
      })
      const { key, token } = await keys.create({ name: 'x', tenant: 'a', scopes: ['read'] })
      process.kill(silent.pid, signal)
      const calls = [
        keys.any(),
        keys.find(token),
        keys.list(),
        rates.take(key.id, 3),
        executions.admit(key.id, 1, 3),
        executions.record('a', [{ id: 'j1' }]),
        executions.belongs('a', 'j1'),
        executions.list('a', { limit: 1 }),
      ]
      for (const outcome of await Promise.allSettled(calls)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
      }
    },
  )
})

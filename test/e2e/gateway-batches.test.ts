import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
let gateway: Gateway

beforeAll(async () => {
  world = await startWorld({ workers: 0, env: { ISOPOD_SLOTS: '2' } })
  ;[gateway] = await Promise.all([startTestGateway(world), world.addWorker()])
})

afterAll(async () => {
  await Promise.all([gateway?.close(), world?.close()])
})

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: specs say what they expect of each answer.
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any }
}

async function follow(path: string, headers: Record<string, string> = {}) {
  const text = await (await fetch(`${gateway.url}${path}`, { headers })).text()
  return text.split('\n\n').flatMap((frame) => {
    const [, id, type, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(frame) ?? []
    return data === undefined ? [] : [{ id, type, data: JSON.parse(data) }]
  })
}

const bash = (code: string, more: object = {}) => ({ language: 'bash', code, ...more })
const tests = [{ stdin: '', expected: 'hi\n' }]

// promise: http-batches
describe('a batch', () => {
  it('is submitted, counted, listed and followed to its end', async () => {
    const jobs = [
      bash('echo hi', { tests }),
      bash('echo no', { tests }),
      bash('exit 3'),
      bash('echo 4; sleep 0.2'),
    ]
    const submitted = await ask('POST', '/v1/batches', { name: 'model 7', jobs })
    const { id } = submitted.body
    expect(submitted).toMatchObject({ status: 202, body: { name: 'model 7', state: 'running', total: 4 } })
    expect(submitted.headers.get('location')).toBe(`/v1/batches/${id}`)

    // This reader claims to have seen more events than exist so far.
    const ahead = follow(`/v1/batches/${id}/events`, { 'last-event-id': '9' })
    const events = await follow(`/v1/batches/${id}/events`)
    expect((await ahead).at(-1)).toMatchObject({ id: 'finished', data: { state: 'finished' } })
    expect(events.map((event) => event.id)).toEqual(['1', '2', '3', '4', 'finished'])
    const ends = events.slice(0, -1).map(({ data }) => [data.index, data.status, data.outcome])
    expect(ends.sort()).toEqual([
      [0, 'success', 'passed'],
      [1, 'success', 'failed'],
      [2, 'execution_error', 'failed'],
      [3, 'success', 'passed'],
    ])
    expect(await follow(`/v1/batches/${id}/events`, { 'last-event-id': '3' })).toEqual(events.slice(3))
    expect(await follow(`/v1/batches/${id}/events`, { 'last-event-id': 'finished' })).toEqual([])

    const read = await ask('GET', `/v1/batches/${id}`)
    expect(read.body).toEqual({
      id,
      name: 'model 7',
      submittedAt: submitted.body.submittedAt,
      state: 'finished',
      total: 4,
      waiting: 0,
      running: 0,
      finished: 4,
      statuses: { success: 3, execution_error: 1 },
      outcomes: { passed: 2, failed: 2, fault: 0 },
    })
    expect(events.at(-1)?.data).toEqual(read.body)

    const first = (await ask('GET', `/v1/batches/${id}/executions?limit=3`)).body
    const second = (await ask('GET', `/v1/batches/${id}/executions?limit=3&cursor=${first.cursor}`)).body
    const listed = [...first.executions, ...second.executions]
    expect(second.cursor).toBeNull()
    expect(listed.map(({ index, state, outcome }) => [index, state, outcome])).toEqual([
      [0, 'finished', 'passed'],
      [1, 'finished', 'failed'],
      [2, 'finished', 'failed'],
      [3, 'finished', 'passed'],
    ])
    const execution = await ask('GET', `/v1/executions/${listed[3].id}`)
    expect(execution.body.result).toMatchObject({ stdout: '4\n', batchId: id })
  })

  it('with one invalid job is refused as a whole, and the refusal names the job', async () => {
    const before = (await ask('GET', '/v1/executions?limit=1')).body.executions
    const request = { idempotencyKey: 'wrong', jobs: [bash('echo 1'), { code: 2 }, 7] }
    const refused = await ask('POST', '/v1/batches', request)
    expect(refused.status).toBe(400)
    const fields = refused.body.errors.map(({ field }: { field: string }) => field)
    expect(fields).toEqual(['jobs[1].code', 'jobs[2]'])
    for (const body of [{}, { jobs: [] }, { jobs: [bash('x')], nmae: 'x' }, { jobs: 'x' }, null, []]) {
      expect(await ask('POST', '/v1/batches', body), JSON.stringify(body)).toMatchObject({ status: 400 })
    }
    const mixed = { jobs: [bash('echo 1', { tenant: 'a' }), bash('echo 2', { tenant: 'b' })] }
    expect(await ask('POST', '/v1/batches', mixed)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'jobs[1].tenant' }] },
    })
    expect((await ask('GET', '/v1/executions?limit=1')).body.executions).toEqual(before)
    // A refused batch does not use up its idempotency key.
    const mended = { ...request, jobs: [bash('echo 1')] }
    expect((await ask('POST', '/v1/batches', mended)).status).toBe(202)
  })

  it('that is submitted again with its idempotency key is the same batch, and another one with that key is refused', async () => {
    const request = { idempotencyKey: 'nightly', jobs: [bash('echo 1'), bash('echo 2')] }
    const [one, two] = await Promise.all([
      ask('POST', '/v1/batches', request),
      ask('POST', '/v1/batches', request),
    ])
    expect([one.status, two.status]).toEqual([202, 202])
    expect(one.body.id).toBe(two.body.id)
    const waited = await ask('GET', `/v1/batches/${one.body.id}?wait=30`)
    expect(waited.body).toMatchObject({ state: 'finished', outcomes: { passed: 2 } })
    expect(await ask('POST', '/v1/batches', request)).toMatchObject({
      status: 202,
      body: { id: one.body.id, state: 'finished' },
    })
    const other = { ...request, jobs: [bash('echo 1')] }
    expect(await ask('POST', '/v1/batches', other)).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict', errors: [{ field: 'idempotencyKey' }] },
    })
  })

  it('is cancelled with all of its unfinished jobs', async () => {
    const jobs = [...Array(2).fill(bash('sleep 60')), ...Array(20).fill(bash('echo never'))]
    const { id } = (await ask('POST', '/v1/batches', { jobs })).body
    await eventually(
      () => ask('GET', `/v1/batches/${id}`),
      ({ body }) => body.running === 2,
    )
    const cancelled = await ask('DELETE', `/v1/batches/${id}`)
    expect(cancelled.body).toEqual({ id, cancelled: 20, requested: 2, finished: 0 })
    const over = await ask('GET', `/v1/batches/${id}?wait=30`)
    expect(over.body).toMatchObject({
      state: 'finished',
      statuses: { cancelled: 22 },
      outcomes: { fault: 22 },
    })
  })

  it('is visible only to its tenant', async () => {
    const { keys } = gateway.access
    const mine = await keys.create({ name: 'a', tenant: 'a', scopes: ['submit', 'read'] })
    const other = await keys.create({ name: 'b', tenant: 'b', scopes: ['submit', 'read'] })
    const admin = await keys.create({ name: 'ops', tenant: 'ops', scopes: ['admin'] })
    await gateway.asksForKeys()
    const as = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` })
    const request = { idempotencyKey: 'k', jobs: [bash('echo secret')] }
    const { id } = (await ask('POST', '/v1/batches', request, as(mine))).body
    for (const path of ['', '?wait=1', '/executions', '/events']) {
      expect((await ask('GET', `/v1/batches/${id}${path}`, undefined, as(other))).status, path).toBe(404)
    }
    expect((await ask('DELETE', `/v1/batches/${id}`, undefined, as(other))).status).toBe(404)
    expect((await ask('GET', `/v1/batches/${id}`, undefined, as(admin))).status).toBe(200)
    expect((await ask('GET', `/v1/batches/${id}?wait=30`, undefined, as(mine))).body.finished).toBe(1)
    // The same idempotency key of another tenant names another batch.
    expect((await ask('POST', '/v1/batches', request, as(other))).body.id).not.toBe(id)
    const foreign = { jobs: [bash('echo 1', { tenant: 'a' })] }
    expect((await ask('POST', '/v1/batches', foreign, as(other))).status).toBe(403)
  })

  // promise: cancel-many
  it('a key lists and cancels waiting executions by batch and label, and only those of its tenant', async () => {
    const { keys } = gateway.access
    const create = async (tenant: string) => {
      const { token } = await keys.create({ name: tenant, tenant, scopes: ['submit', 'read'] })
      return { authorization: `Bearer ${token}` }
    }
    const [mine, other] = [await create('c'), await create('d')]
    await gateway.asksForKeys()
    const jobs = Array.from({ length: 20 }, () => bash('sleep 60', { batchId: 'run', labels: { m: 'x' } }))
    const { ids } = (await ask('POST', '/v1/executions/many', { jobs }, mine)).body
    await ask('POST', '/v1/executions/many', { jobs: jobs.slice(0, 3) }, other)
    const listed = await ask('GET', '/v1/queue/executions?batchId=run&label=m%3Dx', undefined, mine)
    expect(listed.body.executions.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort())
    expect(listed.body.executions[0]).toMatchObject({ tenant: 'c', batchId: 'run', labels: { m: 'x' } })
    for (const path of ['/v1/queue/executions?tenant=d', '/v1/executions?batchId=run&tenant=d']) {
      const method = path.startsWith('/v1/queue') ? 'GET' : 'DELETE'
      expect((await ask(method, path, undefined, mine)).status).toBe(403)
    }
    const refused = await ask('DELETE', '/v1/executions', undefined, mine)
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'batchId' }] } })
    const { body } = await ask('DELETE', '/v1/executions?batchId=run&label=m%3Dx', undefined, mine)
    expect(body.cancelled + body.requested).toBe(20)
    const theirs = await ask('GET', '/v1/queue/executions', undefined, other)
    expect(theirs.body.executions).toHaveLength(3)
    expect((await ask('DELETE', '/v1/executions?batchId=run', undefined, other)).status).toBe(200)
  })
})

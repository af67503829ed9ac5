import { expect, test } from 'vitest'
import { echo, until, useBench } from './harness.ts'

const bench = useBench()

test('50 concurrent submissions with one key run once', async () => {
  const clients = await Promise.all(Array.from({ length: 5 }, () => bench.client()))
  let runs = 0
  await bench.worker(async (delivery) => {
    runs += 1
    return echo(delivery)
  })
  const job = { code: 'print(1)', idempotencyKey: 'order 66', replyTo: 'once' }
  const submits = Array.from({ length: 50 }, (_, n) => clients[n % 5]?.submit(job))
  const ids = new Set(await Promise.all(submits))
  expect(ids.size).toBe(1)
  const [id = ''] = ids
  const [client] = clients
  await client?.wait(id)
  // The key still refers to that job after it has ended.
  expect(await client?.submit(job)).toBe(id)
  const seen: string[] = []
  client?.results(async (result) => void seen.push(result.id), { replyTo: 'once' })
  await until(() => seen.length === 1)
  expect(await client?.run(job)).toMatchObject({ id })
  expect(runs).toBe(1)
  expect(seen).toEqual([id])
})

test('a used key with another job is refused, and nothing of that call is enqueued', async () => {
  const client = await bench.client()
  const id = await client.submit({ code: 'a', inputData: { x: 1, y: 2 }, idempotencyKey: 'k' })
  expect(await client.submit({ code: 'a', inputData: { y: 2, x: 1 }, idempotencyKey: 'k' })).toBe(id)
  await expect(client.submit({ code: 'b', idempotencyKey: 'k' })).rejects.toMatchObject({
    code: 'idempotency_conflict',
  })
  const before = (await bench.keys()).filter((key) => key.includes(':jobs:'))
  await expect(client.submitMany([{ code: 'n' }, { code: 'b', idempotencyKey: 'k' }])).rejects.toThrow(
    /^jobs\[1\]\.idempotencyKey: was used before/,
  )
  expect((await bench.keys()).filter((key) => key.includes(':jobs:'))).toEqual(before)
})

test('equal keys of different tenants do not conflict', async () => {
  const client = await bench.client()
  const a = await client.submit({ code: 'a', tenant: 'a', idempotencyKey: 'k' })
  const b = await client.submit({ code: 'b', tenant: 'b', idempotencyKey: 'k' })
  expect(a).not.toBe(b)
  expect(a).toMatch(/^k-[0-9a-f]{40}$/)
})

test('two jobs of one call may share a key only if they are equal', async () => {
  const client = await bench.client()
  const job = { code: 'a', idempotencyKey: 'twice' }
  const [one, two] = await client.submitMany([job, job])
  expect(one).toBe(two)
  await expect(
    client.submitMany([
      { ...job, idempotencyKey: 'q' },
      { code: 'b', idempotencyKey: 'q' },
    ]),
  ).rejects.toThrow(/^jobs\[1\]\.idempotencyKey/)
})

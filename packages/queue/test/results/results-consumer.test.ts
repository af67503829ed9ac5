import { expect, test } from 'vitest'
import { collect, until, useBench } from '../harness.ts'

const bench = useBench()

test('results wait for their consumer, and each replyTo has its own queue', async () => {
  const consumer = await bench.consumer()
  consumer.run()
  const producer = await bench.producer()
  const a = await bench.enqueue({ replyTo: 'a' })
  const b = await bench.enqueue({ replyTo: 'b' })
  await Promise.all([a, b].map((id) => producer.waitForResult(id)))
  const results = collect(producer, 'a')
  await until(() => results.length === 1)
  expect(results[0]).toMatchObject({ id: a })
  expect(await bench.redis.llen(bench.key('results-b:wait'))).toBe(1)
})

test('a handler that rejects gets the same result again until it resolves', async () => {
  const consumer = await bench.consumer()
  consumer.run()
  const producer = await bench.producer()
  const seen: string[] = []
  const errors: string[] = []
  producer.results(
    'default',
    async ({ id }) => {
      seen.push(id)
      if (seen.length < 3) throw new Error(`not yet ${seen.length}`)
    },
    { onError: (error) => errors.push(error.message) },
  )
  const id = await bench.enqueue()
  await until(() => seen.length === 3)
  expect(seen).toEqual([id, id, id])
  expect(errors).toEqual(['not yet 1', 'not yet 2'])
  await until(async () => (await bench.redis.exists(bench.key('results-default', `r-${id}`))) === 0)
})

test('closing waits for running handlers, and the next consumer gets the other results', async () => {
  const consumer = await bench.consumer()
  consumer.run()
  const producer = await bench.producer()
  const first: string[] = []
  let finish = () => {}
  const held = new Promise<void>((resolve) => {
    finish = resolve
  })
  const results = producer.results(
    'default',
    async ({ id }) => {
      first.push(id)
      await held
    },
    { concurrency: 1 },
  )
  const ids = [await bench.enqueue(), await bench.enqueue()]
  await Promise.all(ids.map((id) => producer.waitForResult(id)))
  await until(() => first.length === 1)
  const closing = results.close()
  finish()
  await closing
  const rest = collect(producer)
  await until(() => rest.length === 1)
  expect([...first, ...rest.map((result) => result.id)].sort()).toEqual([...ids].sort())
})

test('an entry that is not a result never reaches the handler and blocks nothing', async () => {
  await bench.redis.hset(bench.key('results-default:r-evil'), {
    name: 'result',
    data: '{"id":7}',
    opts: '{"attempts":5}',
    timestamp: '1',
  })
  await bench.redis.lpush(bench.key('results-default:wait'), 'r-evil')
  const producer = await bench.producer()
  const results = collect(producer)
  const consumer = await bench.consumer()
  consumer.run()
  const id = await bench.enqueue()
  await until(() => results.length === 1)
  expect(results[0]?.id).toBe(id)
})

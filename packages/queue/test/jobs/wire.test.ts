import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { resultSchema } from '@isopod/protocol'
import { type JobsOptions, Queue, Worker } from 'bullmq'
import { expect, onTestFinished, test } from 'vitest'
import { echoResult, until, useBench } from '../harness.ts'

// The other side is plain BullMQ, used as in docs/wire.md.
const bench = useBench()

/** The options that docs/wire.md names. */
async function documented(): Promise<JobsOptions> {
  const page = await readFile(new URL('../../../../docs/wire.md', import.meta.url), 'utf8')
  return JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? '')
}

function plain() {
  const connection = { path: new URL(bench.url).pathname }
  const options = { connection, prefix: `{${bench.prefix}}` }
  const queue = new Queue('jobs', options)
  onTestFinished(() => queue.close())
  return { queue, options }
}

async function byId(id: string): Promise<unknown> {
  const text = await bench.redis.get(`{${bench.prefix}}:result:${id}`)
  return text === null ? undefined : resultSchema.parse(JSON.parse(text))
}

test('a job of a plain BullMQ producer runs, and its result is available by queue, by id and as a message', async () => {
  const { queue, options } = plain()
  const given = await documented()
  const messages: string[] = []
  const subscriber = bench.redis.duplicate()
  onTestFinished(() => subscriber.disconnect())
  await subscriber.subscribe(`{${bench.prefix}}:done:order-7`)
  subscriber.on('message', (_, text: string) => messages.push(text))
  const taken: unknown[] = []
  const results = new Worker('results-mine', async (job) => void taken.push(job.data), options)
  onTestFinished(() => results.close())

  await queue.add(
    'execute',
    { code: 'print(7)', replyTo: 'mine', args: ['a'], files: { 'a.txt': 'b' } },
    given,
  )
  const consumer = await bench.consumer(async (delivery) => ({
    ...echoResult(delivery),
    stdout: JSON.stringify([delivery.job.args, delivery.job.files]),
  }))
  consumer.run()
  await until(() => taken.length === 1)
  const result = await byId('order-7')
  expect(result).toMatchObject({
    id: 'order-7',
    status: 'success',
    stdout: '[["a"],{"a.txt":{"content":"b","encoding":"utf8"}}]',
  })
  expect(taken).toEqual([result])
  await until(() => messages.length === 1)
  expect(JSON.parse(messages[0] ?? '')).toEqual(result)
  // No key of the job is left.
  await until(async () => (await bench.redis.exists(`{${bench.prefix}}:jobs:order-7`)) === 0)
})

test('an invalid job does not run, and its result says why', async () => {
  const { queue } = plain()
  const ran: string[] = []
  const consumer = await bench.consumer(async (delivery) => {
    ran.push(delivery.id)
    return echoResult(delivery)
  })
  consumer.run()
  await queue.add('execute', { code: 'x', env: { LD_PRELOAD: 'y' }, colour: 'red' }, await documented())
  await until(async () => (await byId('order-7')) !== undefined)
  expect(await byId('order-7')).toMatchObject({ status: 'validation_error' })
  expect(JSON.stringify(await byId('order-7'))).toContain('colour: unknown field')
  expect(ran).toEqual([])
})

test('a job whose id already has a result does not run', async () => {
  const { queue } = plain()
  let runs = 0
  const consumer = await bench.consumer(async (delivery) => {
    runs += 1
    return echoResult(delivery)
  })
  consumer.run()
  for (let time = 0; time < 2; time++) {
    await queue.add('execute', { code: 'x', replyTo: 'none' }, await documented())
    await until(async () => (await byId('order-7')) !== undefined)
    await until(async () => (await bench.redis.exists(`{${bench.prefix}}:jobs:order-7`)) === 0)
  }
  expect(runs).toBe(1)
})

test.each(['waits', 'runs'])(
  'a job that %s can be cancelled with its progress and a message',
  async (when) => {
    const { queue } = plain()
    const consumer = await bench.consumer(async (delivery, signal) => {
      await sleep(10_000, undefined, { signal }).catch(() => {})
      signal.throwIfAborted()
      return echoResult(delivery)
    })
    await queue.add('execute', { code: 'x' }, await documented())
    if (when === 'runs') consumer.run()
    await until(async () => when === 'waits' || (await consumer.stats()).active === 1)
    await queue.updateJobProgress('order-7', 'cancelled')
    await bench.redis.publish(`{${bench.prefix}}:cancel`, 'order-7')
    if (when === 'waits') consumer.run()
    await until(async () => (await byId('order-7')) !== undefined)
    expect(await byId('order-7')).toMatchObject({ status: 'cancelled' })
  },
)

import { parseJob } from '@isopod/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { openRelay } from '../../../../test/support/relay.ts'
import { scaled } from '../../../../test/support/time-factor.ts'
import { newJobId, openProducer } from '../../src/index.ts'
import { collect, echoResult, until, useBench } from '../harness.ts'

const bench = useBench()

// promise: dead-peer
test('connections whose peer is silent are noticed and made anew, each kind of them', {
  timeout: scaled(60_000),
}, async () => {
  const relay = await openRelay(bench.url)
  onTestFinished(() => relay.cut())
  const producer = await openProducer({ url: relay.url, prefix: bench.prefix })
  onTestFinished(() => producer.close())
  const results = collect(producer)
  const consumer = await bench.consumer(
    async (delivery) => {
      delivery.live?.running()
      return echoResult(delivery)
    },
    { url: relay.url },
  )
  consumer.run()
  const submit = async () => {
    const id = newJobId()
    await producer.enqueue([{ id, job: parseJob({ code: 'print(1)', stream: true }) }])
    return id
  }
  const follow = async (id: string) => {
    const types: string[] = []
    for await (const event of producer.events(id)) types.push(event.type)
    return types
  }
  const listeners = async (channel: string) => Number((await bench.redis.pubsub('NUMSUB', channel))[1])
  const before = await submit()
  // Opens the connections of the subscriber and of the live events.
  expect(await follow(before)).toEqual(['status', 'finished'])
  await until(() => results.length === 1, 'the first result')
  expect(consumer.connected).toBe(true)

  relay.silence()
  await until(() => !consumer.connected, 'the worker to notice')
  await until(() => consumer.connected, 'the worker to be connected again')
  // Redis still has the dead connection, too.
  await until(async () => (await listeners(bench.key('cancel'))) === 2, 'the subscriber')
  const after = await submit()
  expect(await follow(after)).toEqual(['status', 'finished'])
  await until(() => results.some(({ id }) => id === after), 'the result in its queue')
})

import { expect, test } from 'vitest'
import { until, useBench } from '../harness.ts'

const bench = useBench({ each: true })

test('a worker that starts after FLUSHALL belongs to the deployment of the workers that run', async () => {
  const first = await bench.consumer()
  await bench.redis.flushall()
  await until(
    async () => (await bench.redis.exists(bench.key('deployment'))) === 1,
    'the id to be written again',
  )
  const second = await bench.consumer(undefined, { workerId: 'w2' })
  expect(second.deployment).toBe(first.deployment)
})

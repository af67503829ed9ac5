import { expect, test } from 'vitest'
import { until, useBench } from '../harness.ts'

const bench = useBench()

async function offered(): Promise<readonly [workers: number, slots: number]> {
  const { workers, slots } = await (await bench.producer()).stats()
  return [workers, slots]
}

test('the slots of workers count until they leave', async () => {
  const one = await bench.consumer(undefined, { workerId: 'one', concurrency: 3 })
  const two = await bench.consumer(undefined, { workerId: 'two', concurrency: 2 })
  expect(await offered()).toEqual([0, 0])
  one.run()
  two.run()
  await until(async () => (await offered())[1] === 5, 'both')
  await two.close()
  expect(await offered()).toEqual([1, 3])
})

test('a worker whose lease has expired has no slots, and the next start removes its entry', async () => {
  await bench.redis.hset(bench.key('slots'), 'dead', 7)
  expect(await offered()).toEqual([0, 0])
  const one = await bench.consumer(undefined, { workerId: 'one', concurrency: 1 })
  one.run()
  await until(async () => (await bench.redis.hlen(bench.key('slots'))) === 1, 'the entry of worker one')
  expect(await offered()).toEqual([1, 1])
})

test('a key of the wrong type in place of the slots blocks nothing', async () => {
  await bench.redis.set(bench.key('slots'), 'x')
  expect(await offered()).toEqual([0, 0])
  const one = await bench.consumer(undefined, { workerId: 'one', concurrency: 2 })
  one.run()
  await until(async () => (await offered())[1] === 2, 'the slots')
  await bench.redis.hset(bench.key('slots'), 'one', 'many')
  expect(await offered()).toEqual([1, 0])
})

import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { ENTER, ResultCache } from '../../src/cache/result-cache.ts'
import { type Singleflight, unexecutedJobResult } from '../../src/index.ts'
import { Keys } from '../../src/redis/keys.ts'
import { defined, useBench } from '../harness.ts'

const bench = useBench()
function result(id: string, stdout = ''): Result {
  const unexecuted = unexecutedJobResult({
    id,
    status: 'setup_error',
    errorMessage: '',
    attempt: 1,
    workerId: 'w',
  })
  return { ...unexecuted, status: 'success', attributable: true, stdout }
}

const open = () => new ResultCache(bench.redis, new Keys(bench.prefix))

async function flightOf(cache: ResultCache, key = 'ab'): Promise<Singleflight> {
  const entry = await cache.enter(key)
  if (entry.type !== 'flight') throw new Error(`expected a flight, got ${entry.type}`)
  return entry.flight
}

test.concurrent('a committed result is found until it expires', async () => {
  const cache = open()
  await (await flightOf(cache)).commit(result('one'), 1)
  expect(await cache.enter('ab')).toMatchObject({ type: 'hit', result: { id: 'one' } })
  await sleep(1100)
  await (await flightOf(cache)).release()
})

test.concurrent('one of many callers makes the result, and the others find it', async () => {
  const caches = [open(), open(), open()]
  let made = 0
  const one = async (n: number): Promise<string> => {
    const entry = await defined(caches[n % 3]).enter('ab')
    if (entry.type === 'hit') return entry.result.id
    if (entry.type === 'flight') {
      made += 1
      await sleep(200)
      await entry.flight.commit(result(`r${n}`), 10)
      return `r${n}`
    }
    expect(entry).toEqual({ type: 'pending' })
    await sleep(50)
    return one(n)
  }
  const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => one(n)))
  expect([made, new Set(ids).size]).toEqual([1, 1])
})

test.concurrent('after a skip no caller waits; after a release the next caller makes the result', async () => {
  const cache = open()
  const { skip } = await flightOf(cache)
  expect(await cache.enter('ab')).toEqual({ type: 'pending' })
  await skip()
  expect(await cache.enter('ab')).toEqual({ type: 'skip' })
  const failing = await flightOf(cache, 'cd')
  await failing.release()
  await (await flightOf(cache, 'cd')).commit(result('two'), 10)
  expect(await cache.enter('cd')).toMatchObject({ type: 'hit', result: { id: 'two' } })
})

test.concurrent('the flight of a dead worker is taken over, and its late end changes nothing', async () => {
  const cache = open()
  const dead = await flightOf(cache)
  await bench.redis.pexpire(bench.key('cache:ab:flight'), 1)
  await sleep(20)
  const next = await flightOf(cache)
  await dead.release()
  expect(await bench.redis.exists(bench.key('cache:ab:flight'))).toBe(1)
  await next.commit(result('two'), 10)
})

test.concurrent('a caller that repeats its request with the same token has the flight', async () => {
  const keys = [bench.key('cache:ab'), bench.key('cache:ab:flight')]
  const ask = (token: string) => bench.redis.eval(ENTER, 2, ...keys, token, 1_000)
  expect([await ask('one'), await ask('one'), await ask('two')]).toEqual([1, 1, 0])
})

test.concurrent('only its holder renews a flight', async () => {
  const [mine, lost] = [await flightOf(open(), 'ab'), await flightOf(open(), 'cd')]
  await bench.redis.set(bench.key('cache:cd:flight'), 'another', 'PX', 3800)
  await bench.redis.pexpire(bench.key('cache:ab:flight'), 3800)
  await sleep(4200)
  expect(await bench.redis.exists(bench.key('cache:ab:flight'))).toBe(1)
  expect(await bench.redis.exists(bench.key('cache:cd:flight'))).toBe(0)
  await mine.release()
  await lost.release()
})

test.concurrent('too large a result is not kept', async () => {
  const cache = open()
  await (await flightOf(cache)).commit(result('one', 'x'.repeat(300_000)), 10)
  expect(await cache.enter('ab')).toEqual({ type: 'skip' })
  expect(await bench.redis.exists(bench.key('cache:ab'))).toBe(0)
})

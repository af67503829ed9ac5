import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { ENTER_CACHE } from '../src/cache-lua.ts'
import { unrunResult } from '../src/index.ts'
import { Keys } from '../src/keys.ts'
import { ResultCache } from '../src/result-cache.ts'
import { defined, useBench } from './harness.ts'

const bench = useBench()
const never = new AbortController().signal

function result(id: string, stdout = ''): Result {
  const unrun = unrunResult({ id, status: 'setup_error', errorMessage: '', attempt: 1, workerId: 'w' })
  return { ...unrun, status: 'success', attributable: true, stdout }
}

const open = () => new ResultCache(bench.redis, new Keys(bench.prefix))

test('a result that was kept is there for whoever asks, until it expires', async () => {
  const cache = open()
  await defined((await cache.enter('ab', never)).flight).land(result('one'), 1)
  expect((await cache.enter('ab', never)).result).toMatchObject({ id: 'one' })
  expect((await cache.enter('cd', never)).result).toBeUndefined()
  await sleep(1100)
  const again = await cache.enter('ab', never)
  expect(again.result).toBeUndefined()
  await defined(again.flight).fail()
})

test('of many who ask at once one makes the result, and the others get it', async () => {
  const caches = [open(), open(), open()]
  let made = 0
  const one = async (n: number) => {
    const { result: found, flight } = await defined(caches[n % 3]).enter('ab', never)
    if (found !== undefined) return found.id
    made += 1
    await sleep(200)
    await defined(flight).land(result(`r${n}`), 10)
    return `r${n}`
  }
  const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => one(n)))
  expect([made, new Set(ids).size]).toEqual([1, 1])
})

test('where nothing was kept nobody waits for another; where nothing came of it the next one makes it', async () => {
  const cache = open()
  const first = defined((await cache.enter('ab', never)).flight)
  const waiting = Promise.all([cache.enter('ab', never), cache.enter('ab', never)])
  await first.leave()
  expect(await waiting).toEqual([{ waited: true }, { waited: true }])
  expect(await cache.enter('ab', never)).toEqual({ waited: false })
  const failing = defined((await cache.enter('cd', never)).flight)
  const next = cache.enter('cd', never)
  await failing.fail()
  await defined((await next).flight).land(result('two'), 10)
  expect((await cache.enter('cd', never)).result).toMatchObject({ id: 'two' })
})

test('a flight of somebody who died is taken over, and his late landing takes nothing away', async () => {
  const cache = open()
  const dead = defined((await cache.enter('ab', never)).flight)
  const next = cache.enter('ab', never)
  await bench.redis.pexpire(bench.key('cache:ab:flight'), 300)
  const { flight } = await next
  expect(flight).toBeDefined()
  await dead.fail()
  expect(await bench.redis.exists(bench.key('cache:ab:flight'))).toBe(1)
  await defined(flight).land(result('two'), 10)
})

test('whoever asks again with the same word, as its answer was lost, has the flight all the same', async () => {
  const keys = [bench.key('cache:ab'), bench.key('cache:ab:flight')]
  const ask = (token: string) => bench.redis.eval(ENTER_CACHE, 2, ...keys, token, 1_000)
  expect([await ask('one'), await ask('one'), await ask('two')]).toEqual([1, 1, 0])
})

test('nobody prolongs the flight of another', async () => {
  const flight = defined((await open().enter('ab', never)).flight)
  await bench.redis.set(bench.key('cache:ab:flight'), 'another', 'PX', 3800)
  await sleep(4200)
  expect(await bench.redis.exists(bench.key('cache:ab:flight'))).toBe(0)
  await flight.fail()
})

test('a flight lasts as long as it takes, and whoever waits can stop waiting', async () => {
  const cache = open()
  const flight = defined((await cache.enter('ab', never)).flight)
  const controller = new AbortController()
  const waiting = cache.enter('ab', controller.signal)
  await bench.redis.pexpire(bench.key('cache:ab:flight'), 3800)
  await sleep(4200)
  expect(await bench.redis.exists(bench.key('cache:ab:flight'))).toBe(1)
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await flight.fail()
})

test('a result that is too long is not kept', async () => {
  const cache = open()
  await defined((await cache.enter('ab', never)).flight).land(result('one', 'x'.repeat(300_000)), 10)
  expect(await cache.enter('ab', never)).toEqual({ waited: false })
  expect(await bench.redis.exists(bench.key('cache:ab'))).toBe(0)
})

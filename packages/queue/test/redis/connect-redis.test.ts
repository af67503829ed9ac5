import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { openConsumer, openProducer } from '../../src/index.ts'
import { useBench } from '../harness.ts'

const bench = useBench()

test('a Redis that may evict keys is refused, with the command that fixes it, unless eviction is allowed', async () => {
  await bench.redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
  try {
    await expect(openProducer({ url: bench.url })).rejects.toThrow(
      /^Redis at redis\+unix:.* must have maxmemory-policy noeviction.*got allkeys-lru.*CONFIG SET/,
    )
    const producer = await openProducer({ url: bench.url, allowEviction: true })
    await producer.close()
  } finally {
    await bench.redis.config('SET', 'maxmemory-policy', 'noeviction')
  }
})

test('without permission for CONFIG, INFO shows whether keys may be evicted', async () => {
  await bench.redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
  await bench.redis.call('ACL', 'SETUSER', 'default', '-config')
  try {
    await expect(openProducer({ url: bench.url })).rejects.toThrow(/noeviction.*got allkeys-lru/)
  } finally {
    await bench.redis.call('ACL', 'SETUSER', 'default', '+config')
    await bench.redis.config('SET', 'maxmemory-policy', 'noeviction')
  }
  await bench.redis.call('ACL', 'SETUSER', 'default', '-config')
  try {
    await (await openProducer({ url: bench.url })).close()
  } finally {
    await bench.redis.call('ACL', 'SETUSER', 'default', '+config')
  }
})

test('an unreachable Redis is reported in one sentence with the URL, without its password', async () => {
  const url = 'redis://me:hunter2@127.0.0.1:1/0'
  const error = await openProducer({ url }).catch((thrown) => thrown)
  expect(error).toMatchObject({ code: 'unavailable' })
  expect(error.message).toContain('redis://me@127.0.0.1:1/0')
  expect(error.message).not.toContain('hunter2')
  expect(error.message).not.toContain('\n')
  const missing = openConsumer({
    url: '/nonexistent/redis.sock',
    workerId: 'w',
  })
  await expect(missing).rejects.toThrow(/redis\+unix:\/\/\/nonexistent\/redis.sock/)
})

test('a Redis that accepts connections but never answers is reported as unavailable', async () => {
  const silent = createServer()
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : 0
  await expect(openProducer({ url: `redis://127.0.0.1:${port}` })).rejects.toThrow(/no answer within 4 s/)
  silent.close()
})

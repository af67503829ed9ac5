import { expect, test } from 'vitest'
import { resolveOptions } from '../../src/redis/queue-options.ts'
import { parseRedisUrl } from '../../src/redis/redis-url.ts'

test('all forms of a Redis address are parsed', () => {
  expect(parseRedisUrl('redis://h:7000/2').options).toEqual({ host: 'h', port: 7000, db: 2 })
  expect(parseRedisUrl('redis://u:p%40@h').options).toEqual({
    host: 'h',
    port: 6379,
    username: 'u',
    password: 'p@',
  })
  expect(parseRedisUrl('rediss://h').options).toEqual({ host: 'h', port: 6379, tls: {} })
  expect(parseRedisUrl('redis://[::1]:1').options).toEqual({ host: '::1', port: 1 })
  expect(parseRedisUrl('redis+unix:///run/r.sock?db=3').options).toEqual({ path: '/run/r.sock', db: 3 })
  expect(parseRedisUrl('/run/r.sock')).toEqual({
    options: { path: '/run/r.sock' },
    shown: 'redis+unix:///run/r.sock',
  })
})

test('an invalid Redis address is refused by name, and no message repeats a password', () => {
  for (const url of ['', 'localhost', 'http://h', 'redis+unix://rel/path', 'redis://h/abc']) {
    expect(() => parseRedisUrl(url), url).toThrow(/^Redis URL: must/)
  }
  expect(() => parseRedisUrl('http://u:hunter2@h?password=hunter2')).toThrow(/^((?!hunter2).)*$/)
  expect(parseRedisUrl('redis://u:hunter2@h').shown).toBe('redis://u@h')
})

test('an invalid option of a Redis connection is refused by name', () => {
  expect(() => resolveOptions({ url: '/r', prefix: '{x}' })).toThrow(/^prefix: must be .* got "\{x\}"$/)
  expect(() => resolveOptions({ url: '/r', resultTtlSeconds: 0.5 })).toThrow(/^resultTtlSeconds: must be/)
})

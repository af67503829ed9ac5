import { setTimeout as sleep } from 'node:timers/promises'
import type { Arena } from '../arena/arena.ts'
import type { Fault } from './fault.ts'

/** Size of one key that fills Redis. */
const FILLER_BYTES = 256 * 1024

const BUSY_SCRIPT = `
local until_us = redis.call('TIME')[1] * 1000000 + tonumber(ARGV[1]) * 1000000
repeat local time = redis.call('TIME') until time[1] * 1000000 + time[2] >= until_us
`

/** Fills Redis with keys that expire. ARGV: their number, and their time to live in milliseconds. */
const FILL_SCRIPT = `
local text = string.rep('x', ${FILLER_BYTES})
for index = 1, tonumber(ARGV[1]) do redis.call('SET', 'filler:' .. index, text, 'PX', ARGV[2]) end
`
const FILLED_MS = 8000
/** Memory that Redis has besides what it uses, while it is to be filled. */
const SPARE_BYTES = 64 * 1024 * 1024

/** Faults of Redis. */
export const REDIS_FAULTS: readonly Fault[] = [
  {
    name: 'redis-killed',
    title: 'SIGKILL to Redis, started again at once',
    strike: async ({ redis }) => {
      await redis.kill()
      await redis.start()
    },
  },
  {
    name: 'redis-away',
    title: 'Redis stopped, started again after 5 s',
    strike: async ({ redis }) => {
      await redis.stop()
      await sleep(5000)
      await redis.start()
    },
  },
  {
    name: 'redis-killed-often',
    title: 'SIGKILL to Redis four times, every 2 s',
    strike: ({ redis }) =>
      times(4, 2000, async () => {
        await redis.kill()
        await redis.start()
      }),
  },
  { name: 'redis-frozen', title: 'SIGSTOP to Redis for 8 s', strike: ({ redis }) => redis.freeze(8000) },
  {
    name: 'redis-frozen-long',
    title: 'SIGSTOP to Redis for 25 s, longer than locks and leases last',
    strike: ({ redis }) => redis.freeze(25_000),
  },
  { name: 'redis-paused', title: 'CLIENT PAUSE for 8 s', strike: (arena) => paused(arena, 'ALL') },
  {
    name: 'redis-writes-paused',
    title: 'CLIENT PAUSE of writes for 8 s',
    strike: (arena) => paused(arena, 'WRITE'),
  },
  {
    name: 'redis-slow',
    title: 'scripts that hold Redis for 1 s, ten times',
    strike: ({ redis }) => times(10, 300, () => redis.command('EVAL', BUSY_SCRIPT, '0', '1')),
  },
  {
    name: 'redis-busy',
    title: 'a script that holds Redis for 8 s; after 5 s it answers BUSY',
    strike: async ({ redis }) => void (await redis.command('EVAL', BUSY_SCRIPT, '0', '8').catch(() => {})),
  },
  {
    name: 'redis-full',
    title: 'no memory left for 8 s',
    strike: async ({ redis }) => {
      await redis.command('CONFIG', 'SET', 'maxmemory', '1mb')
      await sleep(8000)
      await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    },
  },
  {
    name: 'redis-full-expires',
    title: `another program fills Redis up to its maxmemory, which stays; its keys expire after ${FILLED_MS / 1000} s`,
    strike: async ({ redis }) => {
      const memory = await redis.command('INFO', 'memory')
      const used = Number(/^used_memory:(\d+)/m.exec(memory.join('\n'))?.[1])
      await redis.command('CONFIG', 'SET', 'maxmemory', String(used + SPARE_BYTES))
      const keys = Math.ceil(SPARE_BYTES / FILLER_BYTES)
      await redis.command('EVAL', FILL_SCRIPT, '0', String(keys), String(FILLED_MS))
      await sleep(FILLED_MS)
    },
  },
  {
    name: 'redis-read-only',
    title: 'Redis becomes a replica of nothing for 5 s, and refuses writes',
    strike: async ({ redis }) => {
      await redis.command('CONFIG', 'SET', 'replica-serve-stale-data', 'yes')
      await redis.command('REPLICAOF', '127.0.0.1', '1')
      await sleep(5000)
      await redis.command('REPLICAOF', 'NO', 'ONE')
    },
  },
  {
    name: 'redis-flushed',
    title: 'FLUSHALL; jobs that were in Redis are gone',
    mayLoseJobs: true,
    strike: async ({ redis }) => {
      await redis.command('FLUSHALL')
      // Workers restore what is theirs within a renewal of their leases.
      await sleep(6000)
    },
  },
  {
    name: 'redis-scripts-flushed',
    title: 'SCRIPT FLUSH ten times',
    strike: ({ redis }) => times(10, 200, () => redis.command('SCRIPT', 'FLUSH')),
  },
  {
    name: 'redis-connections-killed',
    title: 'CLIENT KILL of all connections five times, every second',
    strike: ({ redis }) => times(5, 1000, () => redis.command('CLIENT', 'KILL', 'TYPE', 'normal')),
  },
  {
    name: 'redis-subscribers-killed',
    title: 'CLIENT KILL of all subscribers five times, every second',
    strike: ({ redis }) => times(5, 1000, () => redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub')),
  },
  {
    name: 'redis-password',
    title: 'a password that no connection knows for 5 s',
    strike: async ({ redis }) => {
      await redis.command('CONFIG', 'SET', 'requirepass', 'chaos')
      await redis.command('-a', 'chaos', '--no-auth-warning', 'CLIENT', 'KILL', 'TYPE', 'normal')
      await sleep(5000)
      await redis.command('-a', 'chaos', '--no-auth-warning', 'CONFIG', 'SET', 'requirepass', '')
    },
  },
  {
    name: 'redis-rewrites',
    title: 'BGREWRITEAOF and SIGKILL to Redis while it rewrites',
    strike: async ({ redis }) => {
      await redis.command('BGREWRITEAOF')
      await redis.kill()
      await redis.start()
    },
  },
]

async function paused({ redis }: Arena, what: 'ALL' | 'WRITE'): Promise<void> {
  await redis.command('CLIENT', 'PAUSE', '8000', what)
  await sleep(8000)
}

/** Does something several times, with a pause after each. */
export async function times(count: number, pauseMs: number, act: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done++) {
    await act()
    await sleep(pauseMs)
  }
}

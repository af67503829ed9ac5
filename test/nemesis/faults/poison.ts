import type { Arena } from '../arena/arena.ts'
import type { Fault } from './fault.ts'
import { times } from './redis.ts'

/** Takes the results of entries that are no jobs of the arena: they name no queue for their results. */
const takeOtherResults = ({ client }: Arena) => void client.results(async () => {}, { replyTo: 'default' })

const jobsKey = ({ name }: Arena, part: string) => `{${name}}:jobs:${part}`

/** Faults of other programs that write to the same Redis. */
export const POISON_FAULTS: readonly Fault[] = [
  {
    name: 'poison-ids',
    title: 'ids that are no jobs are pushed into the queue, among them names of BullMQ',
    strike: (arena) => {
      takeOtherResults(arena)
      return times(10, 200, () =>
        arena.redis.command(
          'LPUSH',
          jobsKey(arena, 'wait'),
          'wait',
          'meta',
          'active',
          'ghost',
          'a:b',
          '0:1',
          '17',
          ' ',
        ),
      )
    },
  },
  {
    name: 'poison-jobs',
    title: 'entries whose data, options or type are broken are pushed into the queue',
    strike: async (arena) => {
      const { redis } = arena
      takeOtherResults(arena)
      await redis.command('SET', jobsKey(arena, 'a-text'), 'x', 'EX', '60')
      await redis.command('LPUSH', jobsKey(arena, 'wait'), 'a-text')
    },
  },
  {
    name: 'poison-types',
    title: 'keys of the queue that name no jobs are replaced by keys of another type',
    strike: async (arena) => {
      for (const part of ['marker', 'meta']) {
        await arena.redis.command('SET', jobsKey(arena, part), 'x')
      }
    },
  },
  {
    name: 'poison-leases',
    title: 'leases, slots and roles of the workers are deleted or replaced',
    strike: ({ redis, name }) =>
      times(5, 500, async () => {
        const keys = await redis.command('--scan', '--pattern', `{${name}}:lease:*`)
        if (keys.length > 0) await redis.command('DEL', ...keys)
        await redis.command('SET', `{${name}}:slots`, 'x')
        await redis.command('SET', `{${name}}:claim:sweep`, 'x')
      }),
  },
  {
    name: 'poison-locks',
    title: 'the locks of running jobs are deleted ten times',
    strike: ({ redis, name }) =>
      times(10, 300, async () => {
        const keys = await redis.command('--scan', '--pattern', `{${name}}:jobs:*:lock`)
        if (keys.length > 0) await redis.command('DEL', ...keys)
      }),
  },
]

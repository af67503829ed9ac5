import { ConfigError } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'

/** BullMQ's lists of unfinished jobs. The running ones come last, so that a search meets a job that is taken meanwhile. */
const LISTS = ['wait', 'prioritized', 'delayed', 'active'] as const

/** A place in the queue: after an entry of one of its lists, or before all if `after` is empty. */
export interface QueuePlace {
  readonly list: (typeof LISTS)[number]
  /** Id of the entry in the lists `active` and `wait`, and its score in the others, where jobs before it come and go. */
  readonly after: string
}

/** An entry of a list. */
export interface QueueEntry {
  readonly id: string
  readonly place: QueuePlace
}

/** The beginning of the queue. */
export const QUEUE_START: QueuePlace = { list: LISTS[0], after: '' }

/** The text of a place, for callers that go on later. */
export function cursorOf({ list, after }: QueuePlace): string {
  return `${list}:${after}`
}

/** The place of a cursor. @throws {ConfigError} if it is not one of {@link cursorOf} */
export function readCursor(cursor: string): QueuePlace {
  const [, name, after = ''] = /^(\w+):([\w.+-]{0,128})$/.exec(cursor) ?? []
  const list = LISTS.find((known) => known === name)
  const isRank = list === 'prioritized' || list === 'delayed'
  if (list === undefined || (isRank && Number.isNaN(Number(after)))) {
    throw new ConfigError(`cursor: must be the cursor of the page before, got ${JSON.stringify(cursor)}`)
  }
  return { list, after }
}

/** The beginning of the list behind that of a place; undefined behind the last. */
export function nextList({ list }: QueuePlace): QueuePlace | undefined {
  const next = LISTS[LISTS.indexOf(list) + 1]
  return next && { list: next, after: '' }
}

/** The entries behind a place in its list, at most `count`. */
export async function readEntries(
  redis: Redis,
  keys: Keys,
  { list, after }: QueuePlace,
  count: number,
): Promise<QueueEntry[]> {
  const key = keys.jobs(list)
  if (list === 'active' || list === 'wait') {
    const index = after === '' ? null : await redis.lpos(key, after, 'RANK', -1)
    // Jobs wait from the left to the right: if an entry was taken, so were those before it. Running jobs end in any order.
    const isOver = index === 0 || (index === null && after !== '' && list === 'active')
    if (isOver) return []
    const last = index === null ? -1 : index - 1
    const ids = await redis.lrange(key, index === null ? -count : Math.max(0, index - count), last)
    return ids.toReversed().map((id) => ({ id, place: { list, after: id } }))
  }
  const first = after === '' ? '-inf' : `(${after}`
  const flat = await redis.zrangebyscore(key, first, '+inf', 'WITHSCORES', 'LIMIT', 0, count)
  return Array.from({ length: flat.length / 2 }, (_, at) => ({
    id: flat[at * 2] ?? '',
    place: { list, after: flat[at * 2 + 1] ?? '' },
  }))
}

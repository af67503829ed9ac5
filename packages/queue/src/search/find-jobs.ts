import type { Redis } from 'ioredis'
import { defineScript, type RedisScript } from '../redis/define-script.ts'
import type { Keys } from '../redis/keys.ts'
import { isSafeId } from '../redis/safe-id.ts'
import { type JobFilter, matchesFilter, neededTexts } from './job-filter.ts'
import { nextList, type QueueEntry, type QueuePlace, readEntries } from './queue-places.ts'

/** Maximum number of jobs, and approximately of bytes of their data, that one step reads, because it blocks Redis. */
const STEP_JOBS = 500
const STEP_BYTES = 1024 * 1024

/**
 * Reads the jobs whose data contains all of some texts. ARGV: prefix of the jobs' keys, maximum number of bytes to read, number of
 * texts, the texts, then ids. Returns how many ids it looked at, then id, data and timestamp of each job that it found.
 */
const FIND = `
local prefix, bytes, texts = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local reply = {0}
for at = 4 + texts, #ARGV do
  -- An entry may have no job, or a key of another type in its place.
  local job = redis.pcall('HMGET', prefix .. ARGV[at], 'data', 'timestamp')
  local data = job[1]
  if data then
    bytes = bytes - #data
    local is_wanted = true
    for text = 4, 3 + texts do is_wanted = is_wanted and string.find(data, ARGV[text], 1, true) end
    if is_wanted then
      reply[#reply + 1] = ARGV[at]
      reply[#reply + 1] = data
      reply[#reply + 1] = job[2] or ''
    end
  end
  reply[1] = reply[1] + 1
  if bytes <= 0 then break end
end
return reply
`

/** A job that was in the queue when it was read. */
export interface FoundJob {
  readonly id: string
  readonly place: QueuePlace
  /** Its data, which nothing has validated. */
  readonly data: unknown
  /** When it was submitted, in epoch milliseconds. */
  readonly submittedAt: number
}

/** Dependencies of {@link JobSearch}; `ask` bounds each call to Redis. */
export interface JobSearchParts {
  readonly redis: Redis
  readonly keys: Keys
  readonly ask: <T>(question: () => Promise<T>) => Promise<T>
}

/**
 * Finds unfinished jobs by their fields. There is no index, so that a submit costs nothing more: a search reads the queue from one end
 * to the other, in steps of at most 500 jobs and about 1 MiB.
 */
export class JobSearch {
  readonly #parts: JobSearchParts
  readonly #find: RedisScript

  constructor(parts: JobSearchParts) {
    this.#parts = parts
    this.#find = defineScript(parts.redis, 'isopodFindJobs', 0, FIND)
  }

  /** The matching jobs behind a place. A job that moves meanwhile may be found twice or not at all. */
  async *find(filter: JobFilter, start: QueuePlace): AsyncGenerator<FoundJob> {
    const { redis, keys, ask } = this.#parts
    const texts = neededTexts(filter)
    let place: QueuePlace | undefined = start
    while (place !== undefined) {
      const from: QueuePlace = place
      const entries = await ask(() => readEntries(redis, keys, from, STEP_JOBS))
      for (let first = 0; first < entries.length; ) {
        const { looked, jobs } = await this.#read(entries.slice(first), texts)
        for (const job of jobs) if (matchesFilter(job.data, filter)) yield job
        first += looked
      }
      const last = entries.length < STEP_JOBS ? undefined : entries.at(-1)
      place = last?.place ?? nextList(place)
    }
  }

  /** Reads as many jobs of these entries as one step may, at least one. */
  async #read(
    entries: readonly QueueEntry[],
    texts: readonly string[],
  ): Promise<{ looked: number; jobs: FoundJob[] }> {
    const { keys, ask } = this.#parts
    const ids = entries.map(({ id }) => id)
    const places = new Map(entries.map(({ id, place }) => [id, place]))
    const reply = await ask(() => this.#find(keys.job(''), STEP_BYTES, texts.length, ...texts, ...ids))
    const [looked, ...found] = Array.isArray(reply) ? reply : []
    const jobs: FoundJob[] = []
    for (let at = 0; at < found.length; at += 3) {
      const [id, data, timestamp] = found.slice(at, at + 3).map(String)
      const place = places.get(id ?? '')
      if (!isSafeId(id) || place === undefined) continue
      jobs.push({ id, place, data: parseJson(data ?? ''), submittedAt: Number(timestamp) || 0 })
    }
    return { looked: Math.max(1, Number(looked) || 0), jobs }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

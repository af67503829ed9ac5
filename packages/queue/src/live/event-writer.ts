import type { Verdict } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import type { Observe } from '../consumer-events.ts'
import { type EncodedEvents, EventEncoder } from './event-encoder.ts'
import type { LiveOutput, OutputStream, PendingEvent } from './live-output.ts'

/** How long events can be read once the job is over, in seconds. */
export const EVENTS_TTL_SECONDS = 600
/** The same after each event of a job that runs: longer than any job may take, should its worker vanish. */
const RUNNING_TTL_SECONDS = 3600 + EVENTS_TTL_SECONDS
/** Output that may wait for Redis; beyond it what comes is dropped. */
const MAX_PENDING_BYTES = 256 * 1024
/** Pause between two commands, in milliseconds; for a job that has told much, the second one. */
const PAUSE_MS = 5
const LONGER_PAUSE_MS = 50
const MANY_ENTRIES = 1000

/** Entries that a stream of events has at most. */
const MAX_STREAM_ENTRIES = 12_000

/**
 * Appends entries to the stream of a job's events.
 *
 * KEYS: the stream. ARGV: seconds that it stays from now on; id below which all is removed, or an empty text; then id and
 * text of each entry. Returns how many were appended.
 *
 * Ids are `<attempt>-<number>`, so Redis itself refuses what was sent before, and what an overtaken start of the job sends.
 */
const APPEND_EVENTS = `
local added = 0
local failed = nil
for at = 3, #ARGV, 2 do
  local reply = redis.pcall('XADD', KEYS[1], 'MAXLEN', ${MAX_STREAM_ENTRIES}, ARGV[at], 'event', ARGV[at + 1])
  if type(reply) == 'string' then
    added = added + 1
  elseif not string.find(reply.err, 'equal or smaller', 1, true) then
    failed = reply
    break
  end
end
if added > 0 and ARGV[2] ~= '' then redis.call('XTRIM', KEYS[1], 'MINID', ARGV[2]) end
if added > 0 or #ARGV == 2 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return failed or added
`

/** Who writes, where, and who is told of what is dropped. */
export interface EventWriterOptions {
  readonly redis: Redis
  readonly key: string
  /** Which start of the job this is; those of earlier ones are refused by Redis from then on. */
  readonly attempt: number
  readonly observe: Observe
}

/**
 * Writes the events of one start of a job. One command is on its way at a time, and what comes meanwhile leaves together with
 * the next: a slow Redis costs events, never memory, and never the program any time.
 */
export class EventWriter implements LiveOutput {
  readonly #options: EventWriterOptions
  readonly #encoder: EventEncoder
  #pending: PendingEvent[] = []
  #pendingBytes = 0
  #dropped = { chunks: 0, bytes: 0 }
  #cut: Readonly<Record<OutputStream, boolean>> = { stdout: false, stderr: false }
  #sending = false
  #sentAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #hasWritten = false
  #ended = false

  constructor(options: EventWriterOptions) {
    this.#options = options
    this.#encoder = new EventEncoder(options.attempt)
  }

  running(): void {
    this.#pending = []
    this.#pendingBytes = 0
    this.#dropped = { chunks: 0, bytes: 0 }
    this.#push({ type: 'status', status: 'running', attempt: this.#options.attempt })
  }

  output(stream: OutputStream, bytes: Uint8Array): void {
    if (bytes.byteLength === 0 || this.#ended) return
    if (this.#pendingBytes + bytes.byteLength > MAX_PENDING_BYTES) {
      this.#drop(1, bytes.byteLength)
      return
    }
    this.#tellDropped()
    this.#pendingBytes += bytes.byteLength
    const last = this.#pending.at(-1)
    if (last?.type === stream) last.chunks.push(Buffer.from(bytes))
    else this.#pending.push({ type: stream, chunks: [Buffer.from(bytes)] })
    this.#flush()
  }

  test(index: number, name: string, verdict: Verdict): void {
    this.#push({ type: 'test', index, name, verdict })
  }

  cut(streams: Readonly<Record<OutputStream, boolean>>): void {
    this.#cut = streams
  }

  /**
   * Sends what is left, without waiting. What is sent afterwards over the same connection, the job's result above all, arrives
   * behind it.
   */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#timer)
    const left = this.#take({ cut: this.#cut })
    if (left.entries.length > 0 || this.#hasWritten) void this.#send(left, EVENTS_TTL_SECONDS)
  }

  #push(event: PendingEvent): void {
    if (this.#ended) return
    this.#tellDropped()
    this.#pending.push(event)
    this.#flush()
  }

  #flush(): void {
    if (this.#sending || this.#ended || this.#pending.length === 0) return
    clearTimeout(this.#timer)
    const pause = this.#encoder.entries < MANY_ENTRIES ? PAUSE_MS : LONGER_PAUSE_MS
    const wait = this.#sentAt + pause - performance.now()
    if (wait > 0) {
      this.#timer = setTimeout(() => this.#flush(), wait)
      return
    }
    const taken = this.#take()
    // A part of one character alone waits for the rest of it.
    if (taken.entries.length === 0) return
    this.#sending = true
    this.#sentAt = performance.now()
    void this.#send(taken, RUNNING_TTL_SECONDS).finally(() => {
      this.#sending = false
      this.#flush()
    })
  }

  #take(end?: Parameters<EventEncoder['encode']>[1]): EncodedEvents {
    this.#tellDropped()
    const taken = this.#encoder.encode(this.#pending, end)
    this.#pending = []
    this.#pendingBytes = 0
    if (taken.dropped.chunks > 0) this.#drop(taken.dropped.chunks, taken.dropped.bytes)
    if (end === undefined || this.#dropped.chunks === 0) return taken
    const told = this.#encoder.encode([{ type: 'dropped', ...this.#dropped }])
    return { ...taken, entries: [...taken.entries, ...told.entries] }
  }

  async #send({ entries, minimumId }: EncodedEvents, ttlSeconds: number): Promise<void> {
    const { redis, key } = this.#options
    this.#hasWritten = true
    try {
      // The whole text each time: with its digest alone, the first command could be overtaken by those behind it.
      await redis.eval(APPEND_EVENTS, 1, key, ttlSeconds, minimumId, ...entries.flat())
    } catch {
      this.#drop(entries.length, 0)
    }
  }

  #drop(chunks: number, bytes: number): void {
    this.#dropped.chunks += chunks
    this.#dropped.bytes += bytes
    this.#options.observe({ type: 'liveEventsDropped', events: chunks })
  }

  #tellDropped(): void {
    if (this.#dropped.chunks === 0 || this.#encoder.isFull) return
    this.#pending.push({ type: 'dropped', ...this.#dropped })
    this.#dropped = { chunks: 0, bytes: 0 }
  }
}

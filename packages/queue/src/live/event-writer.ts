import type { Verdict } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import type { Observe } from '../consumer-events.ts'
import { type EncodedEvents, EventEncoder } from './event-encoder.ts'
import type { LiveOutput, OutputStream, PendingEvent } from './live-output.ts'

/** How long events can be read after the end of the job, in seconds. */
export const EVENTS_TTL_SECONDS = 600
/** Time to live after each event of a running job, longer than any job, in case its worker dies. */
const RUNNING_TTL_SECONDS = 3600 + EVENTS_TTL_SECONDS
/** Maximum number of output bytes that wait for Redis; further output is dropped. */
const MAX_PENDING_BYTES = 256 * 1024
/** Pause between two commands, in milliseconds; the longer one after `MANY_ENTRIES` entries. */
const PAUSE_MS = 5
const LONGER_PAUSE_MS = 50
const MANY_ENTRIES = 1000

/** Maximum number of entries in a stream of events. */
const MAX_STREAM_ENTRIES = 12_000

/**
 * Appends entries to the stream of a job's events.
 *
 * KEYS: the stream. ARGV: its time to live in seconds; id below which entries are removed, or an empty text; then id and text of
 * each entry. Returns the number of appended entries.
 *
 * Ids are `<attempt>-<number>`, so Redis itself refuses duplicates and entries of an earlier start of the job.
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

/** The parts of an {@link EventWriter}. */
export interface EventWriterOptions {
  readonly redis: Redis
  readonly key: string
  /** Number of this start of the job; Redis then refuses entries of earlier starts. */
  readonly attempt: number
  readonly observe: Observe
}

/**
 * Writes the events of one start of a job. One command is in flight at a time, and the next one has all events since: a slow
 * Redis costs events, but neither memory nor time of the program.
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
    this.#reportDropped()
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
   * Sends the remaining events without waiting. Later commands of the same connection arrive after them, above all the result.
   */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#timer)
    const last = this.#take({ cut: this.#cut })
    if (last.entries.length > 0 || this.#hasWritten) void this.#send(last, EVENTS_TTL_SECONDS)
  }

  #push(event: PendingEvent): void {
    if (this.#ended) return
    this.#reportDropped()
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
    // An incomplete character waits for its remaining bytes.
    if (taken.entries.length === 0) return
    this.#sending = true
    this.#sentAt = performance.now()
    void this.#send(taken, RUNNING_TTL_SECONDS).finally(() => {
      this.#sending = false
      this.#flush()
    })
  }

  #take(end?: Parameters<EventEncoder['encode']>[1]): EncodedEvents {
    this.#reportDropped()
    const taken = this.#encoder.encode(this.#pending, end)
    this.#pending = []
    this.#pendingBytes = 0
    if (taken.dropped.chunks > 0) this.#drop(taken.dropped.chunks, taken.dropped.bytes)
    if (end === undefined || this.#dropped.chunks === 0) return taken
    const dropped = this.#encoder.encode([{ type: 'dropped', ...this.#dropped }])
    return { ...taken, entries: [...taken.entries, ...dropped.entries] }
  }

  async #send({ entries, minimumId }: EncodedEvents, ttlSeconds: number): Promise<void> {
    const { redis, key } = this.#options
    this.#hasWritten = true
    try {
      // EVAL, not EVALSHA: if the script were unknown, its repetition would arrive after later commands.
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

  #reportDropped(): void {
    if (this.#dropped.chunks === 0 || this.#encoder.isFull) return
    this.#pending.push({ type: 'dropped', ...this.#dropped })
    this.#dropped = { chunks: 0, bytes: 0 }
  }
}

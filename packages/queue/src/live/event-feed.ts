import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { waitingDuplicate } from '../redis/connect-redis.ts'
import { isAfter, READ_ENTRIES, type StreamEntry } from './event-entry.ts'

/** How long one read blocks, in milliseconds; shorter if Redis does not allow reads to be interrupted. */
const BLOCK_MS = 1000
const SHORT_BLOCK_MS = 50
const RETRY_MS = 200

/** A reader that waits for the next entries of a stream. */
interface WaitingReader {
  readonly key: string
  readonly cursor: string
  take(entries: readonly StreamEntry[]): void
}

/**
 * Waits for entries of many streams over one connection, opened with the first reader: a single blocking read covers the streams
 * of all waiting readers. A reader that joins interrupts the read, which is then sent again; a slow reader, which still handles
 * earlier entries, is not part of it.
 */
export class EventFeed {
  readonly #redis: Redis
  readonly #waiting = new Set<WaitingReader>()
  #connection: Redis | undefined
  /** Id of the connection; undefined if unknown, null if Redis refuses to return it. */
  #clientId: string | null | undefined
  #isRunning = false
  #isBlocked = false
  #isInterrupting = false
  #hasJoined = false
  #isClosed = false

  constructor(redis: Redis) {
    this.#redis = redis
  }

  /** Resolves with the next entries after the cursor, at least one. Rejects with the signal's reason. */
  next(key: string, cursor: string, signal: AbortSignal): Promise<readonly StreamEntry[]> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const leave = () => {
        this.#waiting.delete(reader)
        reject(signal.reason)
      }
      const reader: WaitingReader = {
        key,
        cursor,
        take: (entries) => {
          this.#waiting.delete(reader)
          signal.removeEventListener('abort', leave)
          resolve(entries)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(reader)
      this.#hasJoined = true
      if (!this.#isRunning) void this.#run()
      else if (this.#isBlocked) void this.#interrupt()
    })
  }

  /** Closes the connection. It rejects no reader: the caller aborts their signals. */
  close(): void {
    this.#isClosed = true
    this.#connection?.disconnect()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.size > 0 && !this.#isClosed) {
      try {
        for (const [key, entries] of await this.#read()) this.#distribute(key, entries)
      } catch {
        if (this.#isClosed) break
        await this.#removeUnreadable().catch(() => {})
        await sleep(RETRY_MS)
      }
      // Readers that want more entries join before the next read.
      await new Promise(setImmediate)
    }
    this.#isRunning = false
  }

  async #read(): Promise<[key: string, entries: StreamEntry[]][]> {
    const connection = this.#connect()
    if (this.#clientId === undefined) this.#clientId = await idOf(connection)
    const cursors = new Map<string, string>()
    for (const { key, cursor } of this.#waiting) {
      const other = cursors.get(key)
      if (other === undefined || isAfter(other, cursor)) cursors.set(key, cursor)
    }
    this.#hasJoined = false
    this.#isBlocked = true
    try {
      const block = this.#clientId === null ? SHORT_BLOCK_MS : BLOCK_MS
      const places = [...cursors.keys(), ...cursors.values()]
      const reply = await connection.call(
        'XREAD',
        'COUNT',
        READ_ENTRIES,
        'BLOCK',
        block,
        'STREAMS',
        ...places,
      )
      return Array.isArray(reply) ? (reply as [string, StreamEntry[]][]) : []
    } finally {
      this.#isBlocked = false
    }
  }

  #distribute(key: string, entries: readonly StreamEntry[]): void {
    for (const reader of [...this.#waiting]) {
      if (reader.key !== key) continue
      const own = entries.filter(([id]) => isAfter(id, reader.cursor))
      if (own.length > 0) reader.take(own)
    }
  }

  /** Ends the current read, so that the next one covers new readers. Repeats, as the read may not have reached Redis yet. */
  async #interrupt(): Promise<void> {
    if (this.#isInterrupting) return
    this.#isInterrupting = true
    await new Promise(setImmediate)
    while (this.#hasJoined && this.#isBlocked && typeof this.#clientId === 'string') {
      await this.#redis.call('CLIENT', 'UNBLOCK', this.#clientId).catch(() => {
        this.#clientId = null
      })
      if (this.#hasJoined && this.#isBlocked) await sleep(1)
    }
    this.#isInterrupting = false
  }

  /** A key that is not a stream would fail every read, so its readers are removed; each waits until its signal aborts. */
  async #removeUnreadable(): Promise<void> {
    for (const key of new Set([...this.#waiting].map((reader) => reader.key))) {
      const type = await this.#redis.type(key)
      if (type === 'stream' || type === 'none') continue
      for (const reader of [...this.#waiting]) if (reader.key === key) this.#waiting.delete(reader)
    }
  }

  #connect(): Redis {
    if (this.#connection !== undefined) return this.#connection
    const connection = waitingDuplicate(this.#redis)
    connection.on('ready', () => {
      this.#clientId = undefined
    })
    this.#connection = connection
    return connection
  }
}

/** Id of a connection, with which another one can interrupt it; null if Redis forbids that. */
async function idOf(connection: Redis): Promise<string | null> {
  try {
    return String(await connection.call('CLIENT', 'ID'))
  } catch {
    return null
  }
}

import type { OutputStream, PendingEvent } from './live-output.ts'
import { outputText, wholeCharacters } from './output-text.ts'

/** Maximum number of output bytes in one entry. */
const CHUNK_BYTES = 8 * 1024
/** Maximum number of output entries of one run, and of their bytes as JSON. */
const MAX_RUN_ENTRIES = 10_000
const MAX_RUN_BYTES = 8 * 1024 * 1024
const STREAMS = ['stdout', 'stderr'] as const
const NOTHING = Buffer.alloc(0)

/** Events in the form in which they are appended to a stream. */
export interface EncodedEvents {
  /** Id and JSON of each event. */
  readonly entries: readonly (readonly [id: string, event: string])[]
  /** Entries with a smaller id are void; empty if none are. */
  readonly minimumId: string
  /** Output beyond the limits of a run. */
  readonly dropped: { readonly chunks: number; readonly bytes: number }
}

/** Numbers the events of one start of a job, cuts its output between characters, and limits the output of each run. */
export class EventEncoder {
  readonly #attempt: number
  #number = 0
  #entries = 0
  #bytes = 0
  #isFull = false
  #tails: Record<OutputStream, Uint8Array> = { stdout: NOTHING, stderr: NOTHING }

  constructor(attempt: number) {
    this.#attempt = attempt
  }

  /** Number of output entries of this run. */
  get entries(): number {
    return this.#entries
  }

  /** Whether the run has reached a limit; its further output is dropped. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** @param end if nothing follows: incomplete characters are then sent too, except those that the output limit cut */
  encode(
    pending: readonly PendingEvent[],
    end?: { readonly cut: Readonly<Record<OutputStream, boolean>> },
  ): EncodedEvents {
    const entries: (readonly [string, string])[] = []
    const dropped = { chunks: 0, bytes: 0 }
    let minimumId = ''
    const add = (json: string) => {
      const id = `${this.#attempt}-${++this.#number}`
      entries.push([id, json])
      return id
    }
    const addOutput = (type: OutputStream, bytes: Uint8Array) => {
      const json = JSON.stringify({ type, ...outputText(bytes) })
      if (this.#hasRoom(Buffer.byteLength(json))) {
        add(json)
        return
      }
      dropped.chunks += 1
      dropped.bytes += bytes.byteLength
    }
    for (const event of pending) {
      if (event.type === 'stdout' || event.type === 'stderr') {
        for (const chunk of this.#chunks(event.type, event.chunks)) addOutput(event.type, chunk)
        continue
      }
      const id = add(JSON.stringify(event))
      if (event.type !== 'status') continue
      this.#begin()
      minimumId = id
    }
    for (const stream of end ? STREAMS : []) {
      const tail = this.#tails[stream]
      if (tail.byteLength > 0 && !end?.cut[stream]) addOutput(stream, tail)
    }
    return { entries, minimumId, dropped }
  }

  #hasRoom(bytes: number): boolean {
    this.#isFull ||= this.#entries >= MAX_RUN_ENTRIES || this.#bytes + bytes > MAX_RUN_BYTES
    if (this.#isFull) return false
    this.#entries += 1
    this.#bytes += bytes
    return true
  }

  #begin(): void {
    this.#entries = 0
    this.#bytes = 0
    this.#isFull = false
    this.#tails = { stdout: NOTHING, stderr: NOTHING }
  }

  /** Cuts the output of a stream between characters, and keeps an incomplete one for later. */
  *#chunks(stream: OutputStream, chunks: readonly Buffer[]): Generator<Buffer> {
    const bytes = Buffer.concat([this.#tails[stream], ...chunks])
    const end = wholeCharacters(bytes)
    for (let at = 0; at < end; ) {
      const next = end - at <= CHUNK_BYTES ? end : at + wholeCharacters(bytes.subarray(at, at + CHUNK_BYTES))
      yield bytes.subarray(at, next)
      at = next
    }
    this.#tails[stream] = Buffer.from(bytes.subarray(end))
  }
}

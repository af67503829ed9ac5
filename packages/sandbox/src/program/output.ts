import type { StreamOutput } from '../contract/outcome.ts'

const FIRST_ROOM_BYTES = 4 * 1024

/**
 * Collects one stream of a program in one buffer that grows: a program that writes byte by byte must not cost a chunk
 * each. Init cuts the stream at the limit; this bounds it again, in case init was not itself.
 */
export class OutputCollector {
  readonly #limit: number
  #bytes = Buffer.alloc(0)
  #kept = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Copies what fits below the limit. @returns that part of the chunk */
  push(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, Math.max(0, this.#limit - this.#kept))
    const needed = this.#kept + taken.byteLength
    if (needed > this.#bytes.byteLength) {
      const room = Math.min(this.#limit, Math.max(needed, 2 * this.#bytes.byteLength, FIRST_ROOM_BYTES))
      const larger = Buffer.alloc(room)
      this.#bytes.copy(larger, 0, 0, this.#kept)
      this.#bytes = larger
    }
    this.#bytes.set(taken, this.#kept)
    this.#kept = needed
    return taken
  }

  /** What came, given what init counted; without a count (init died) what was kept is all that is known. */
  finish(counted?: { produced: number; truncated: boolean }): StreamOutput {
    const bytes = this.#bytes.subarray(0, this.#kept)
    return { bytes, produced: counted?.produced ?? this.#kept, truncated: counted?.truncated ?? false }
  }
}

import type { StreamOutput } from '../contract/outcome.ts'

const FIRST_ROOM_BYTES = 4 * 1024

/**
 * Collects one output stream of a program in one growing buffer, so that a program that writes byte by byte costs no object
 * for each. Init truncates the stream at the limit; this does it again, in case init was taken over.
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

  /** The output, with init's counts; without them (init died) only the kept bytes are known. */
  finish(counted?: { produced: number; truncated: boolean }): StreamOutput {
    const bytes = this.#bytes.subarray(0, this.#kept)
    return { bytes, produced: counted?.produced ?? this.#kept, truncated: counted?.truncated ?? false }
  }
}

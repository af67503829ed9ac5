import type { StreamOutput } from './sandbox.ts'

/** Collects one stream of a program. Init cuts it at the limit; this bounds it again, in case init was not itself. */
export class OutputCollector {
  readonly #limit: number
  readonly #chunks: Uint8Array[] = []
  #kept = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Keeps what fits below the limit. */
  push(chunk: Uint8Array): void {
    const room = this.#limit - this.#kept
    if (room <= 0) return
    const kept = chunk.byteLength <= room ? chunk : chunk.subarray(0, room)
    this.#chunks.push(kept)
    this.#kept += kept.byteLength
  }

  /** What came, given what init counted; without a count (init died) what was kept is all that is known. */
  finish(counted?: { produced: number; truncated: boolean }): StreamOutput {
    const bytes = Buffer.concat(this.#chunks, this.#kept)
    return { bytes, produced: counted?.produced ?? this.#kept, truncated: counted?.truncated ?? false }
  }
}

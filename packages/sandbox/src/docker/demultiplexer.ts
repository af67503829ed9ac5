const HEADER_BYTES = 8
const STDERR = 2

/**
 * Splits the engine's attach stream, in which each piece of a container's output has a header of 8 bytes: the stream's
 * number, three zeros, the length as u32 big-endian (Engine API, "Attach to a container"). It passes payload on as it
 * comes: nothing is copied, and a forged length takes no memory.
 */
export class Demultiplexer {
  readonly #onStdout: (bytes: Uint8Array) => void
  readonly #onStderr: (bytes: Uint8Array) => void
  readonly #header = Buffer.alloc(HEADER_BYTES)
  #headerFilled = 0
  #remaining = 0

  constructor(onStdout: (bytes: Uint8Array) => void, onStderr: (bytes: Uint8Array) => void) {
    this.#onStdout = onStdout
    this.#onStderr = onStderr
  }

  /** Takes the next bytes of the stream, split anywhere. */
  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.byteLength) {
      if (this.#remaining === 0) {
        const copied = chunk.copy(
          this.#header,
          this.#headerFilled,
          at,
          at + HEADER_BYTES - this.#headerFilled,
        )
        at += copied
        this.#headerFilled += copied
        if (this.#headerFilled < HEADER_BYTES) return
        this.#headerFilled = 0
        this.#remaining = this.#header.readUInt32BE(4)
        continue
      }
      const piece = chunk.subarray(at, at + this.#remaining)
      at += piece.byteLength
      this.#remaining -= piece.byteLength
      if (this.#header[0] === STDERR) this.#onStderr(piece)
      else this.#onStdout(piece)
    }
  }
}

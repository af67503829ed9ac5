import type { PipeEnd } from '@isopod/sandbox'

/** A frame begins with its length, without this header, in four bytes, and its kind in one. */
const HEADER_BYTES = 5
/** Maximum length of a frame; init keeps more for a program that does not read. */
const MAX_FRAME_BYTES = 1024 * 1024

/** Counts the frames in a stream of bytes. */
class FrameCounter {
  #header = Buffer.alloc(0)
  /** Bytes of the current frame that have not come; undefined while its header is read. */
  #left: number | undefined

  /** @returns how many frames begin in these bytes, and whether one is too long */
  take(bytes: Uint8Array): { readonly begun: number; readonly isTooLong: boolean } {
    let begun = 0
    for (let at = 0; at < bytes.byteLength; ) {
      if (this.#left !== undefined) {
        const taken = Math.min(this.#left, bytes.byteLength - at)
        this.#left = this.#left === taken ? undefined : this.#left - taken
        at += taken
        continue
      }
      if (this.#header.byteLength === 0) begun++
      const part = bytes.subarray(at, at + HEADER_BYTES - this.#header.byteLength)
      this.#header = Buffer.concat([this.#header, part])
      at += part.byteLength
      if (this.#header.byteLength < HEADER_BYTES) continue
      const length = this.#header.readUInt32BE()
      if (length > MAX_FRAME_BYTES) return { begun, isTooLong: true }
      this.#header = Buffer.alloc(0)
      this.#left = length === 0 ? undefined : length
    }
    return { begun, isTooLong: false }
  }
}

/**
 * Lets the code answer each frame of the judge with one frame. Without it, code could send more than the judge's container
 * keeps, which would end that container. What is not an answer ends the pipe.
 *
 * @returns the ends of the code and of the judge
 */
export function gateFrames([code, judge]: readonly [PipeEnd, PipeEnd]): [PipeEnd, PipeEnd] {
  const asked = new FrameCounter()
  const answered = new FrameCounter()
  let due = 0
  let isBroken = false
  const end = (own: PipeEnd, write: PipeEnd['write']): PipeEnd => ({
    get wasFirst() {
      return own.wasFirst
    },
    meet: (signal) => own.meet(signal),
    open: (sink) => own.open(sink),
    end: () => own.end(),
    write,
  })
  const fromCode = end(code, (bytes) => {
    if (isBroken) return
    const { begun, isTooLong } = answered.take(bytes)
    due -= begun
    isBroken = due < 0 || isTooLong
    if (isBroken) code.end()
    else code.write(bytes)
  })
  const fromJudge = end(judge, (bytes) => {
    due += asked.take(bytes).begun
    judge.write(bytes)
  })
  return [fromCode, fromJudge]
}

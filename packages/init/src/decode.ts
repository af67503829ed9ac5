import type { InitFrame } from './frames.ts'
import {
  readDone,
  readFault,
  readPreloaded,
  readReady,
  readReset,
  readSample,
  readSnapshotDone,
  readStarted,
} from './shapes.ts'
import {
  HEADER_BYTES,
  MAX_INIT_PAYLOAD_BYTES,
  MAX_JSON_BYTES,
  MAX_NET_BYTES,
  MAX_STREAM_BYTES,
  WIRE,
  WireError,
} from './wire.ts'

/** Room for a payload before its bytes arrive: a forged length alone must not take memory. */
const FIRST_ROOM_BYTES = 64 * 1024

/**
 * Cuts init's byte stream into frames, however it is split into chunks. Copies each byte a bounded number of times and buffers
 * at most one unfinished frame.
 *
 * @example
 * ```ts
 * const decoder = new FrameDecoder()
 * for await (const chunk of stream) for (const frame of decoder.push(chunk)) handle(frame)
 * decoder.end()
 * ```
 */
export class FrameDecoder {
  readonly #header = new Uint8Array(HEADER_BYTES)
  #headerFilled = 0
  #payload = new Uint8Array(0)
  #filled = 0
  #length = 0
  #broken: WireError | undefined

  /**
   * Takes the next bytes and returns the frames that they complete; payloads are copies. Frames before a broken one in the
   * same chunk are returned too; `broken` then has the error.
   * @throws {WireError} on an unknown type, a length over the type's bound, or a payload of the wrong shape;
   *   every later call throws the same error
   */
  push(chunk: Uint8Array): InitFrame[] {
    if (this.#broken !== undefined) throw this.#broken
    const frames: InitFrame[] = []
    try {
      this.#read(chunk, frames)
    } catch (error) {
      this.#payload = new Uint8Array(0)
      if (!(error instanceof WireError)) throw error
      this.#broken = error
      if (frames.length === 0) throw error
    }
    return frames
  }

  /** Why the stream is broken; undefined if it is not. */
  get broken(): WireError | undefined {
    return this.#broken
  }

  /** Call it at the end of the stream. @throws {WireError} when a frame is unfinished */
  end(): void {
    if (this.#broken !== undefined) throw this.#broken
    if (this.#headerFilled > 0) throw new WireError('the stream ended within a frame')
  }

  #read(chunk: Uint8Array, frames: InitFrame[]): void {
    let offset = 0
    while (offset < chunk.byteLength) {
      if (this.#headerFilled === 0 && chunk.byteLength - offset >= HEADER_BYTES) {
        // A program that prints byte by byte causes many small frames: a whole one is read in place.
        const length = lengthOf(chunk, offset)
        const end = offset + HEADER_BYTES + length
        if (end <= chunk.byteLength) {
          frames.push(toFrame(chunk[offset], copy(chunk, offset + HEADER_BYTES, length)))
          offset = end
          continue
        }
      }
      if (this.#headerFilled < HEADER_BYTES) {
        offset += this.#readHeader(chunk.subarray(offset))
        if (this.#headerFilled < HEADER_BYTES) break
      }
      offset += this.#readPayload(chunk.subarray(offset))
      if (this.#filled < this.#length) break
      frames.push(toFrame(this.#header[0], this.#payload.subarray(0, this.#length)))
      this.#headerFilled = 0
      this.#filled = 0
      this.#payload = new Uint8Array(0)
    }
  }

  #readHeader(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, HEADER_BYTES - this.#headerFilled)
    this.#header.set(taken, this.#headerFilled)
    this.#headerFilled += taken.byteLength
    payloadBound(this.#header[0])
    if (this.#headerFilled === HEADER_BYTES) this.#length = lengthOf(this.#header, 0)
    return taken.byteLength
  }

  #readPayload(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, this.#length - this.#filled)
    const needed = this.#filled + taken.byteLength
    if (needed > this.#payload.byteLength) {
      const room = Math.max(needed, FIRST_ROOM_BYTES, 2 * this.#payload.byteLength)
      const larger = new Uint8Array(Math.min(room, this.#length))
      larger.set(this.#payload.subarray(0, this.#filled))
      this.#payload = larger
    }
    this.#payload.set(taken, this.#filled)
    this.#filled = needed
    return taken.byteLength
  }
}

/** Up to this size copying byte by byte is faster than through a view. */
const SMALL_BYTES = 64

function copy(bytes: Uint8Array, at: number, length: number): Uint8Array {
  const copied = new Uint8Array(length)
  if (length > SMALL_BYTES) copied.set(bytes.subarray(at, at + length))
  else for (let index = 0; index < length; index++) copied[index] = bytes[at + index] ?? 0
  return copied
}

/** Length of the payload by the header at `at`. @throws {WireError} on an unknown type or a length over its bound */
function lengthOf(bytes: Uint8Array, at: number): number {
  const type = bytes[at]
  const bound = payloadBound(type)
  const [low = 0, b = 0, c = 0, high = 0] = [bytes[at + 1], bytes[at + 2], bytes[at + 3], bytes[at + 4]]
  const length = (low | (b << 8) | (c << 16)) + high * 0x1000000
  if (length <= bound) return length
  throw new WireError(`a frame of type ${type} may have ${bound} bytes, got ${length}`)
}

function payloadBound(type: number | undefined): number {
  switch (type) {
    case WIRE.stdout:
    case WIRE.stderr:
      return MAX_STREAM_BYTES
    case WIRE.netOpen:
    case WIRE.netEnd:
    case WIRE.netReset:
      return 4
    case WIRE.netCredit:
      return 8
    case WIRE.netData:
      return 4 + MAX_NET_BYTES
    case WIRE.file:
      return MAX_INIT_PAYLOAD_BYTES
    case WIRE.ready:
    case WIRE.started:
    case WIRE.sample:
    case WIRE.done:
    case WIRE.fault:
    case WIRE.resetDone:
    case WIRE.preloaded:
    case WIRE.snapshotDone:
      return MAX_JSON_BYTES
    default:
      throw new WireError(`unknown frame type ${type}`)
  }
}

function toFrame(type: number | undefined, payload: Uint8Array): InitFrame {
  switch (type) {
    case WIRE.ready:
      return { type: 'ready', ready: readReady(payload) }
    case WIRE.stdout:
      return { type: 'stdout', data: payload }
    case WIRE.stderr:
      return { type: 'stderr', data: payload }
    case WIRE.started:
      return { type: 'started', started: readStarted(payload) }
    case WIRE.sample:
      return { type: 'sample', sample: readSample(payload) }
    case WIRE.done:
      return { type: 'done', done: readDone(payload) }
    case WIRE.file: {
      const [status] = payload
      if (status === undefined) throw new WireError('file frame: status is missing')
      return { type: 'file', status, content: payload.subarray(1) }
    }
    case WIRE.fault:
      return { type: 'fault', fault: readFault(payload) }
    case WIRE.resetDone:
      return { type: 'reset', reset: readReset(payload) }
    case WIRE.preloaded:
      return { type: 'preloaded', preloaded: readPreloaded(payload) }
    case WIRE.snapshotDone:
      return { type: 'snapshotDone', snapshot: readSnapshotDone(payload) }
    case WIRE.netOpen:
      return { type: 'netOpen', ...readStream(payload) }
    case WIRE.netData:
      return { type: 'netData', ...readStream(payload), data: payload.subarray(4) }
    case WIRE.netEnd:
      return { type: 'netEnd', ...readStream(payload) }
    case WIRE.netReset:
      return { type: 'netReset', ...readStream(payload) }
    case WIRE.netCredit:
      return { type: 'netCredit', ...readStream(payload), bytes: u32(payload, 4) }
    default:
      throw new WireError(`unknown frame type ${type}`)
  }
}

function readStream(payload: Uint8Array): { stream: number } {
  return { stream: u32(payload, 0) }
}

function u32(payload: Uint8Array, at: number): number {
  if (payload.byteLength < at + 4) throw new WireError('net frame: it is too short')
  return new DataView(payload.buffer, payload.byteOffset).getUint32(at, true)
}

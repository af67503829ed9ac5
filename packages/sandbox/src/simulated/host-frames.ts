import { HEADER_BYTES, WIRE, WireError } from '@isopod/init'

/** One program start, as init reads it. */
export interface ProgramStart {
  readonly wallMs: number
  readonly cpuMs: number
  readonly stdoutLimit: number
  readonly stderrLimit: number
  readonly killOnOverflow: boolean
  /** Stdin frames follow; else stdin is empty. */
  readonly stdin: boolean
  /** A reset and another report follow. */
  readonly resets: boolean
  /** Values of the limits of each process. */
  readonly limits: readonly number[]
  readonly argv: readonly string[]
}

/** A frame from the host that a simulated init understands. */
export type HostFrame =
  | { readonly type: 'putFile'; readonly path: string; readonly content: Uint8Array }
  | { readonly type: 'exec'; readonly start: ProgramStart }
  | { readonly type: 'stdin'; readonly data: Uint8Array }
  | { readonly type: 'fetch'; readonly path: string; readonly maxBytes: number }
  | { readonly type: 'reset' | 'quit' | 'inspect' | 'preload' | 'snapshot' | 'restore' }

const KILL_ON_OVERFLOW = 1
const STDIN_FOLLOWS = 2
const RESETS = 64

/** Decodes the host's byte stream into frames; chunks may be split anywhere. */
export class HostFrameDecoder {
  #bytes: Buffer = Buffer.alloc(0)

  /** Takes the next bytes, and returns the frames that they complete. @throws {WireError} on a frame that is not simulated */
  push(chunk: Buffer): HostFrame[] {
    this.#bytes = this.#bytes.byteLength === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    const frames: HostFrame[] = []
    while (this.#bytes.byteLength >= HEADER_BYTES) {
      const end = HEADER_BYTES + this.#bytes.readUInt32LE(1)
      if (this.#bytes.byteLength < end) break
      frames.push(toFrame(this.#bytes.readUInt8(0), this.#bytes.subarray(HEADER_BYTES, end)))
      this.#bytes = this.#bytes.subarray(end)
    }
    return frames
  }
}

function toFrame(type: number, payload: Buffer): HostFrame {
  switch (type) {
    case WIRE.putFile: {
      const content = 4 + payload.readUInt16LE(2)
      return {
        type: 'putFile',
        path: payload.toString('utf8', 4, content),
        content: payload.subarray(content),
      }
    }
    case WIRE.exec:
      return { type: 'exec', start: toStart(payload) }
    case WIRE.stdin:
      return { type: 'stdin', data: payload }
    case WIRE.fetch:
      return { type: 'fetch', maxBytes: payload.readUInt32LE(0), path: payload.toString('utf8', 4) }
    case WIRE.reset:
      return { type: 'reset' }
    case WIRE.quit:
      return { type: 'quit' }
    case WIRE.inspect:
      return { type: 'inspect' }
    case WIRE.preload:
      return { type: 'preload' }
    case WIRE.snapshot:
      return { type: 'snapshot' }
    case WIRE.restore:
      return { type: 'restore' }
    default:
      throw new WireError(`a simulated init has no frame of type ${type}`)
  }
}

function toStart(payload: Buffer): ProgramStart {
  const [wallMs = 0, cpuMs = 0, stdoutLimit = 0, stderrLimit = 0, flags = 0] = Array.from(
    { length: 5 },
    (_, index) => payload.readUInt32LE(4 * index),
  )
  const [limitCount, argumentCount] = [payload.readUInt16LE(20), payload.readUInt16LE(22)]
  const values = Array.from({ length: limitCount }, (_, index) => payload.readUInt32LE(26 + 8 * index + 4))
  const strings: string[] = []
  // The working directory comes first, the environment last.
  for (let at = 26 + 8 * limitCount; strings.length < 1 + argumentCount; ) {
    const end = at + 4 + payload.readUInt32LE(at)
    strings.push(payload.toString('utf8', at + 4, end))
    at = end
  }
  const has = (flag: number) => (flags & flag) !== 0
  const held = { wallMs, cpuMs, stdoutLimit, stderrLimit, limits: values }
  return {
    ...held,
    killOnOverflow: has(KILL_ON_OVERFLOW),
    stdin: has(STDIN_FOLLOWS),
    resets: has(RESETS),
    argv: strings.slice(1),
  }
}

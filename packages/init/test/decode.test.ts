import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FrameDecoder } from '../src/decode.ts'
import type { InitFrame } from '../src/frames.ts'
import { MAX_INIT_PAYLOAD_BYTES, MAX_NET_BYTES, MAX_STREAM_BYTES, WIRE, WireError } from '../src/wire.ts'
import { DONE, EXAMPLES, frame, READY, SAMPLE } from './frames.ts'

/** Frames with plain arrays instead of typed ones, whose classes differ between Buffer and Uint8Array. */
function plain(frames: readonly InitFrame[]): unknown[] {
  return frames.map((entry) => {
    if (entry.type === 'stdout' || entry.type === 'stderr' || entry.type === 'netData')
      return { ...entry, data: [...entry.data] }
    if (entry.type === 'file') return { ...entry, content: [...entry.content] }
    return entry
  })
}

function decode(...chunks: readonly Uint8Array[]): InitFrame[] {
  const decoder = new FrameDecoder()
  const frames = chunks.flatMap((chunk) => decoder.push(chunk))
  decoder.end()
  return frames
}

function chunksOf(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.byteLength; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

describe('the frame decoder', () => {
  it('reads one frame of each type', () => {
    for (const [bytes, expected] of EXAMPLES) expect(plain(decode(bytes))).toEqual(plain([expected]))
  })

  it('accepts any number of process limits up to the number of resources', () => {
    const started = (limits: unknown) =>
      decode(frame(WIRE.started, { pid: 2, wallMs: 1, cpuMs: 0, stdoutLimit: 0, stderrLimit: 0, limits }))
    expect(started([])).toMatchObject([{ started: { limits: { openFiles: null } } }])
    expect(started([null])).toMatchObject([{ started: { limits: { openFiles: null } } }])
    expect(started(Array(16).fill(7))).toMatchObject([{ started: { limits: { openFiles: 7 } } }])
    for (const limits of [Array(17).fill(7), ['7'], [-1], { 0: 7 }, 7, null]) {
      expect(() => started(limits), JSON.stringify(limits)).toThrow(WireError)
    }
  })

  it('returns the same frames however the stream is split', () => {
    const examples = fc.array(fc.constantFrom(...EXAMPLES), { maxLength: 8 })
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(examples, sizes, (chosen, pieces) => {
        const bytes = Buffer.concat(chosen.map(([frame]) => frame))
        expect(plain(decode(...chunksOf(bytes, pieces)))).toEqual(
          plain(chosen.map(([, expected]) => expected)),
        )
      }),
    )
  })

  it('returns the same frames for a split at each single byte', () => {
    const bytes = Buffer.concat(EXAMPLES.map(([frame]) => frame))
    const whole = plain(decode(bytes))
    for (let at = 0; at <= bytes.byteLength; at++) {
      expect(plain(decode(bytes.subarray(0, at), bytes.subarray(at)))).toEqual(whole)
    }
  })

  it('throws only a WireError, whatever the bytes', () => {
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      // A valid type and length with random bytes reach more of the decoder than noise.
      fc
        .tuple(
          fc.constantFrom(...Object.values(WIRE)),
          fc.oneof(
            fc.uint8Array(),
            fc.json().map((text) => Buffer.from(text)),
          ),
        )
        .map(([type, payload]) => frame(type, payload)),
    )
    fc.assert(
      fc.property(fc.array(garbage, { maxLength: 5 }), (chunks) => {
        try {
          decode(...chunks)
        } catch (error) {
          expect(error).toBeInstanceOf(WireError)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('refuses an unknown type, and those that only the host sends, at its first byte', () => {
    for (const type of [0, 0x01, 0x07, 0x0b, 0x80, 0x91, 0xff]) {
      expect(() => new FrameDecoder().push(Uint8Array.of(type)), String(type)).toThrow(WireError)
    }
  })

  it('refuses a forged length before its bytes arrive', () => {
    for (const [type, length] of [
      [WIRE.stdout, MAX_STREAM_BYTES + 1],
      [WIRE.stderr, 0xffffffff],
      [WIRE.done, 4097],
      [WIRE.netData, 4 + MAX_NET_BYTES + 1],
      [WIRE.netCredit, 9],
      [WIRE.file, MAX_INIT_PAYLOAD_BYTES + 1],
    ] as const) {
      const header = frame(type, '')
      header.writeUInt32LE(length, 1)
      expect(() => new FrameDecoder().push(header)).toThrow(WireError)
    }
  })

  it('refuses a net frame that is shorter than its numbers', () => {
    for (const [type, size] of [
      [WIRE.netOpen, 3],
      [WIRE.netData, 0],
      [WIRE.netCredit, 7],
    ] as const) {
      expect(() => decode(frame(type, Buffer.alloc(size)))).toThrow(WireError)
    }
  })

  it('allocates memory only for bytes that have arrived', () => {
    const header = frame(WIRE.file, '')
    header.writeUInt32LE(MAX_INIT_PAYLOAD_BYTES, 1)
    const decoders: FrameDecoder[] = []
    const before = process.memoryUsage().arrayBuffers
    for (let turn = 0; turn < 50; turn++) {
      const decoder = new FrameDecoder()
      decoder.push(header)
      decoder.push(Uint8Array.of(1))
      decoders.push(decoder)
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * MAX_STREAM_BYTES * decoders.length)
  })

  it('reads the largest file in small pieces without copying it again and again', () => {
    const content = Buffer.alloc(MAX_INIT_PAYLOAD_BYTES, 'x')
    content[0] = 0
    const frames = decode(...chunksOf(frame(WIRE.file, content), [997]))
    expect(frames).toHaveLength(1)
    expect(frames[0]?.type === 'file' && Buffer.from(frames[0].content).equals(content.subarray(1))).toBe(
      true,
    )
  })

  it('does not share memory with the chunk passed in', () => {
    const bytes = frame(WIRE.stdout, 'abc')
    const [first] = decode(bytes)
    bytes.fill(0)
    expect(first?.type === 'stdout' && Buffer.from(first.data).toString()).toBe('abc')
  })

  it('refuses payloads with a field missing, unknown, or of another kind', () => {
    const { wallMs: _, ...short } = DONE
    for (const [type, payload] of [
      [WIRE.done, short],
      [WIRE.done, { ...DONE, more: 1 }],
      [WIRE.done, { ...DONE, exitCode: '0' }],
      [WIRE.done, { ...DONE, exitCode: -1 }],
      [WIRE.done, { ...DONE, limit: 'disk' }],
      [WIRE.done, { ...DONE, spawnError: 'no such file' }],
      [WIRE.done, { ...DONE, stdoutBytes: 1.5 }],
      [WIRE.done, '{"exitCode":1e999}'],
      [WIRE.ready, { ...READY, cgroup: 3 }],
      [WIRE.ready, { ...READY, capabilities: '0' }],
      [WIRE.sample, { ...SAMPLE, wallMs: null }],
      [WIRE.started, '[2]'],
      [WIRE.started, 'null'],
      [WIRE.started, '{"__proto__":{"pid":2}}'],
      [WIRE.started, '{"pid":2'],
      [WIRE.started, Buffer.from([0xff])],
      [WIRE.fault, { where: 'elsewhere', error: 'EIO' }],
      [WIRE.resetDone, { clean: 'yes', reason: null }],
      [WIRE.file, ''],
    ] as const) {
      expect(() => decode(frame(type, payload)), JSON.stringify(payload)).toThrow(WireError)
    }
  })

  it('stays broken after an error, and reports a stream that ends within a frame', () => {
    const decoder = new FrameDecoder()
    expect(() => decoder.push(Uint8Array.of(0))).toThrow(WireError)
    expect(() => decoder.push(frame(WIRE.stdout, 'x'))).toThrow(WireError)
    expect(() => decoder.end()).toThrow(WireError)
    for (const part of [1, 5, 6])
      expect(() => decode(frame(WIRE.stdout, 'xy').subarray(0, part))).toThrow(WireError)
  })
})

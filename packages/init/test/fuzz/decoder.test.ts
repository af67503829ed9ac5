import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { FrameDecoder } from '../../src/decode.ts'
import type { InitFrame } from '../../src/frames.ts'
import { MAX_INIT_PAYLOAD_BYTES, MAX_NET_BYTES, WIRE, WireError } from '../../src/wire.ts'
import { EXAMPLES, frame } from '../frames.ts'

/** The result of one way to split a stream: its frames, then the error, if any. */
function decode(chunks: readonly Uint8Array[]): { frames: string; broken: string | undefined } {
  const decoder = new FrameDecoder()
  const frames: InitFrame[] = []
  try {
    for (const chunk of chunks) frames.push(...decoder.push(chunk))
    decoder.end()
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    // A broken decoder refuses even a valid frame. A stream that ends too early does not break it.
    if (decoder.broken !== undefined) {
      expect(() => decoder.push(frame(WIRE.stdout, 'x'))).toThrow(error)
      expect(() => decoder.end()).toThrow(error)
    }
    return { frames: written(frames), broken: error.message }
  }
  expect(decoder.broken).toBeUndefined()
  return { frames: written(frames), broken: undefined }
}

/** The same text for all kinds of typed arrays. */
function written(frames: readonly InitFrame[]): string {
  return JSON.stringify(frames, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
  )
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [0, ...places.toSorted((a, b) => a - b), bytes.byteLength]
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}

const types = fc.constantFrom(...Object.values(WIRE))
const good = fc.constantFrom(...EXAMPLES).map(([bytes]) => bytes)
const large = fc
  .tuple(fc.constantFrom(WIRE.stdout, WIRE.stderr, WIRE.file), fc.integer({ min: 1, max: 65_536 }))
  .map(([type, size]) => frame(type, Buffer.alloc(size, 0x81)))
/** Stream frames with any bytes; a third have a length of 4 or 8, one of which their type requires. */
const NET_TYPES = [WIRE.netOpen, WIRE.netData, WIRE.netEnd, WIRE.netReset, WIRE.netCredit] as const
const net = fc
  .tuple(
    fc.constantFrom(...NET_TYPES),
    fc.oneof(fc.constantFrom(4, 8), fc.nat(12), fc.nat(17_000)),
    fc.nat(255),
  )
  .map(([type, length, fill]) => ({ type, payload: Buffer.alloc(length, fill) }))
const bad = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc.tuple(types, fc.uint8Array({ maxLength: 60 })).map(([type, bytes]) => frame(type, bytes)),
  fc.tuple(types, fc.json()).map(([type, text]) => frame(type, text)),
  // A frame with one byte changed, with equal chance in its header and after it.
  fc.tuple(good, fc.nat(), fc.integer({ min: 1, max: 255 })).map(([bytes, at, change]) => {
    const bent = Buffer.from(bytes)
    const place = at % Math.min(bent.byteLength, 40)
    bent.writeUInt8(bent.readUInt8(place) ^ change, place)
    return bent
  }),
)

/** Whole frames, and sometimes other bytes after them. */
const stream = fc
  .tuple(
    fc.array(fc.oneof({ weight: 6, arbitrary: good }, large), { maxLength: 10 }),
    fc.array(
      fc.oneof(
        bad,
        good,
        net.map(({ type, payload }) => frame(type, payload)),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([before, after]) => Buffer.concat([...before, ...after]))

describe('the frame decoder, for every split of a stream', () => {
  it('returns the same frames and the same error for each pair of split points', () => {
    const broken = [frame(WIRE.stdout, 'ab'), frame(WIRE.fault, '{}'), frame(WIRE.stdout, 'c')]
    for (const short of [Buffer.concat(broken), Buffer.concat([...broken.slice(0, 1), Buffer.of(0xff, 1)])]) {
      const whole = decode([short])
      expect(whole.broken).toBeDefined()
      expect(whole.frames).toContain('6162')
      for (let first = 0; first <= short.byteLength; first++) {
        for (let second = first; second <= short.byteLength; second++) {
          expect(decode(cut(short, [first, second])), `${first}, ${second}`).toEqual(whole)
        }
      }
    }
  })

  it(
    'returns the same frames and the same error for random splits of long streams, valid or broken',
    () => {
      const places = fc.array(fc.nat(), { maxLength: 30 })
      let broken = 0
      const property = fc.property(stream, places, (bytes, cuts) => {
        const whole = decode([bytes])
        if (whole.broken !== undefined) broken++
        const within = cuts.map((place) => place % (bytes.byteLength + 1))
        expect(decode(cut(bytes, within))).toEqual(whole)
        if (bytes.byteLength < 3_000)
          expect(decode([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
      })
      fc.assert(property, { numRuns: 1_500 })
      expect(broken).toBeGreaterThan(100)
    },
    scaled(120_000),
  )

  it(
    'accepts a stream frame exactly if it has the length of its type, and reads its numbers',
    () => {
      const property = fc.property(net, ({ type, payload }) => {
        const size = payload.byteLength
        const fits =
          type === WIRE.netData
            ? size >= 4 && size <= 4 + MAX_NET_BYTES
            : size === (type === WIRE.netCredit ? 8 : 4)
        const decoder = new FrameDecoder()
        if (!fits) {
          expect(() => decoder.push(frame(type, payload))).toThrow(WireError)
          return
        }
        const [read] = decoder.push(frame(type, payload))
        expect(read).toMatchObject({ stream: payload.readUInt32LE(0) })
        if (read?.type === 'netData') expect(payload.subarray(4).equals(read.data)).toBe(true)
        if (type === WIRE.netCredit) expect(read).toMatchObject({ bytes: payload.readUInt32LE(4) })
      })
      fc.assert(property, { numRuns: 2_000 })
    },
    scaled(60_000),
  )

  it(
    'allocates no memory for a length that is only announced',
    () => {
      const claim = fc.tuple(
        types,
        fc.integer({ min: 0, max: 0xffff_ffff }),
        fc.uint8Array({ maxLength: 20 }),
      )
      const property = fc.property(claim, ([type, length, bytes]) => {
        const header = frame(type, bytes)
        header.writeUInt32LE(length, 1)
        const before = process.memoryUsage().arrayBuffers
        const decoder = new FrameDecoder()
        try {
          decoder.push(header)
        } catch (error) {
          expect(error).toBeInstanceOf(WireError)
        }
        expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MAX_INIT_PAYLOAD_BYTES / 20)
      })
      fc.assert(property, { numRuns: 1_000 })
    },
    scaled(60_000),
  )
})

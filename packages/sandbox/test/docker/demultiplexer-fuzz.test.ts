import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { Demultiplexer } from '../../src/docker/demultiplexer.ts'

/** The output of both streams as text, in order. */
function demultiplex(chunks: readonly Buffer[]): string {
  const out: string[] = []
  let last = ''
  const take = (stream: string) => (bytes: Uint8Array) => {
    // Each part is a view of its chunk, so a forged length in a header allocates nothing.
    expect(chunks.some((chunk) => chunk.buffer === bytes.buffer)).toBe(true)
    expect(bytes.byteLength).toBeGreaterThan(0)
    if (last !== stream) out.push(stream)
    last = stream
    out.push(Buffer.from(bytes).toString('hex'))
  }
  const demultiplexer = new Demultiplexer(take('|out '), take('|err '))
  for (const chunk of chunks) demultiplexer.push(chunk)
  return out.join('')
}

/** Reference implementation: splits the whole stream as the Engine API describes. */
function described(wire: Buffer): string {
  let out = ''
  let last = ''
  for (let at = 0; at + 8 <= wire.byteLength; ) {
    const payload = wire.subarray(at + 8, at + 8 + wire.readUInt32BE(at + 4))
    const stream = wire[at] === 2 ? '|err ' : '|out '
    if (payload.byteLength > 0) {
      if (last !== stream) out += stream
      last = stream
      out += payload.toString('hex')
    }
    at += 8 + wire.readUInt32BE(at + 4)
  }
  return out
}

function piece(stream: number, zeros: Uint8Array, length: number, payload: Uint8Array): Buffer {
  const header = Buffer.concat([Uint8Array.of(stream), zeros, Buffer.alloc(4)])
  header.writeUInt32BE(length, 4)
  return Buffer.concat([header, payload])
}

const honest = fc
  .tuple(fc.constantFrom(0, 1, 2), fc.uint8Array({ maxLength: 40 }))
  .map(([stream, payload]) => piece(stream, new Uint8Array(3), payload.byteLength, payload))
const forged = fc
  .tuple(
    fc.nat({ max: 255 }),
    fc.uint8Array({ minLength: 3, maxLength: 3 }),
    fc.oneof(fc.nat({ max: 60 }), fc.constantFrom(0, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff)),
    fc.uint8Array({ maxLength: 40 }),
  )
  .map((parts) => piece(...parts))
const wire = fc.array(fc.oneof(honest, forged), { maxLength: 8 }).map((pieces) => Buffer.concat(pieces))

it('Demultiplexer gives the same output for any split of the stream, also with forged headers', {
  timeout: scaled(60_000),
}, () => {
  const property = fc.property(wire, fc.array(fc.nat(), { maxLength: 12 }), (bytes, cuts) => {
    const whole = described(bytes)
    expect(demultiplex([bytes])).toBe(whole)
    expect(demultiplex([...bytes].map((_, at) => bytes.subarray(at, at + 1)))).toBe(whole)
    const places = [
      0,
      ...cuts.map((at) => at % (bytes.byteLength + 1)).sort((a, b) => a - b),
      bytes.byteLength,
    ]
    expect(demultiplex(places.slice(1).map((end, at) => bytes.subarray(places[at], end)))).toBe(whole)
  })
  fc.assert(property, { numRuns: 2_000 })
})

it('Demultiplexer gives the same output for each pair of split points', () => {
  const bytes = Buffer.concat([
    piece(1, new Uint8Array(3), 3, Buffer.from('abc')),
    piece(2, new Uint8Array(3), 0, new Uint8Array(0)),
    piece(2, new Uint8Array(3), 0xffff_ffff, Buffer.from('defg')),
  ])
  const whole = described(bytes)
  for (let first = 0; first <= bytes.byteLength; first++) {
    for (let second = first; second <= bytes.byteLength; second++) {
      const parts = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]
      expect(demultiplex(parts)).toBe(whole)
    }
  }
})

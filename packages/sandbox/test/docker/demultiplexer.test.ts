import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Demultiplexer } from '../../src/docker/demultiplexer.ts'

function encode(stream: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(payload.byteLength, 4)
  return Buffer.concat([header, payload])
}

function decode(chunks: readonly Buffer[]): { stdout: Buffer; stderr: Buffer } {
  const stdout: Uint8Array[] = []
  const stderr: Uint8Array[] = []
  const demultiplexer = new Demultiplexer(
    (bytes) => stdout.push(bytes),
    (bytes) => stderr.push(bytes),
  )
  for (const chunk of chunks) demultiplexer.push(chunk)
  return { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) }
}

const pieces = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 40 })), { maxLength: 12 })

it('Demultiplexer gives each stream its bytes, however the connection splits them', () => {
  fc.assert(
    fc.property(pieces, fc.array(fc.nat({ max: 60 }), { maxLength: 20 }), (written, cuts) => {
      const wire = Buffer.concat(written.map(([stream, payload]) => encode(stream, payload)))
      const chunks: Buffer[] = []
      let rest = wire
      for (const cut of cuts) {
        chunks.push(rest.subarray(0, cut))
        rest = rest.subarray(cut)
      }
      chunks.push(rest)
      const expected = (stream: number) =>
        Buffer.concat(written.filter(([number]) => number === stream).map(([, payload]) => payload))
      expect(decode(chunks)).toEqual({ stdout: expected(1), stderr: expected(2) })
    }),
  )
})

it('Demultiplexer passes data on at once if its header announces 4 GB', () => {
  const wire = encode(1, Buffer.from('abc'))
  wire.writeUInt32BE(0xffff_ffff, 4)
  expect(decode([wire]).stdout.toString()).toBe('abc')
})

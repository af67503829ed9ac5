// Measures how fast a worker reads the streams of its containers: demultiplexer, decoder and collector, without an engine.
// Prints the best of several rounds for each shape of stream, in MB per second of one core.
import { FrameDecoder, WIRE } from '../packages/init/dist/index.js'
import { Demultiplexer } from '../packages/sandbox/dist/docker/demultiplexer.js'
import { OutputCollector } from '../packages/sandbox/dist/program/output.js'

const ROUNDS = 7
const KIB = 1024
const MIB = KIB * KIB

/** Sizes in bytes of init's frames, the engine's packets and the socket's chunks, and the total in MB. */
const SHAPES = [
  { name: 'full frames', frame: 64 * KIB, packet: 32 * KIB, chunk: 64 * KIB, mb: 32, keep: 100 * KIB },
  {
    name: 'full frames, 10 MiB kept',
    frame: 64 * KIB,
    packet: 32 * KIB,
    chunk: 64 * KIB,
    mb: 10,
    keep: 10 * MIB,
  },
  { name: 'frames of 4 KiB', frame: 4 * KIB, packet: 32 * KIB, chunk: 64 * KIB, mb: 32, keep: 100 * KIB },
  { name: 'frames of 16 B', frame: 16, packet: 32 * KIB, chunk: 64 * KIB, mb: 8, keep: 100 * KIB },
  { name: 'packets of 16 B', frame: 64 * KIB, packet: 16, chunk: 64 * KIB, mb: 4, keep: 100 * KIB },
  { name: 'chunks of 1 B', frame: 64 * KIB, packet: 32 * KIB, chunk: 1, mb: 1, keep: 100 * KIB },
]

function split(bytes, size) {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

function chunksOf({ frame, packet, chunk, mb }) {
  const header = Buffer.from([WIRE.stdout, 0, 0, 0, 0])
  header.writeUInt32LE(frame, 1)
  const one = Buffer.concat([header, Buffer.alloc(frame, 'x')])
  const wire = Buffer.concat(Array(Math.ceil((mb * 1e6) / one.length)).fill(one))
  const packets = split(wire, packet).flatMap((payload) => {
    const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])
    head.writeUInt32BE(payload.length, 4)
    return [head, payload]
  })
  return split(Buffer.concat(packets), chunk)
}

function read(chunks, keep) {
  const output = new OutputCollector(keep)
  const decoder = new FrameDecoder()
  const take = (bytes) => {
    for (const frame of decoder.push(bytes)) output.push(frame.data)
  }
  const demultiplexer = new Demultiplexer(take, () => {})
  const started = performance.now()
  for (const chunk of chunks) demultiplexer.push(chunk)
  return performance.now() - started
}

for (const shape of SHAPES) {
  const chunks = chunksOf(shape)
  const mb = chunks.reduce((sum, { length }) => sum + length, 0) / 1e6
  const best = Math.min(...Array.from({ length: ROUNDS }, () => read(chunks, shape.keep)))
  console.log(`${shape.name.padEnd(26)} ${(mb / (best / 1000)).toFixed(0).padStart(6)} MB/s`)
}

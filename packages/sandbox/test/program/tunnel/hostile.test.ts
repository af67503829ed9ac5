import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import {
  MAX_NET_BYTES,
  MAX_NET_STREAMS,
  MAX_NET_WINDOW_BYTES,
  type NetFrame,
  WIRE,
  WireError,
} from '@isopod/init'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scaled } from '../../../../../test/support/time-factor.ts'
import { Tunnel } from '../../../src/program/tunnel/tunnel.ts'

/** An action of the host on one of its connections, or an arbitrary frame from the container. */
type Act =
  | { frame: NetFrame }
  | { on: number; act: 'read' | 'pause' | 'end' | 'destroy' }
  | { on: number; act: 'write'; size: number }

/** Mostly stream numbers that are in use, so that many sequences are nearly valid. */
const number = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 6 }) }, fc.nat(0xffff_ffff))
const size = fc.oneof(fc.nat(3), fc.nat(MAX_NET_BYTES), fc.constant(MAX_NET_BYTES))
const frames: fc.Arbitrary<NetFrame> = fc.oneof(
  { weight: 3, arbitrary: number.map((stream) => ({ type: 'netOpen' as const, stream })) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(number, size)
      .map(([stream, bytes]) => ({ type: 'netData' as const, stream, data: new Uint8Array(bytes) })),
  },
  number.map((stream) => ({ type: 'netEnd' as const, stream })),
  number.map((stream) => ({ type: 'netReset' as const, stream })),
  fc
    .tuple(number, fc.oneof(size, fc.nat(0xffff_ffff)))
    .map(([stream, bytes]) => ({ type: 'netCredit' as const, stream, bytes })),
)
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: frames.map((frame) => ({ frame })) },
  fc.record({ on: fc.nat(7), act: fc.constantFrom('read' as const, 'pause', 'end', 'destroy') }),
  fc.record({ on: fc.nat(7), act: fc.constant('write' as const), size: fc.nat(100_000) }),
)

/** What the tunnel has sent to the container about one stream. */
interface SentToContainer {
  written: number
  granted: number
  finished: boolean
  dropped: boolean
}

function open() {
  const sent = new Map<number, SentToContainer>()
  const connections: Duplex[] = []
  const tunnel = new Tunnel({
    send: (frame) => {
      const bytes = Buffer.from(frame)
      const stream = bytes.readUInt32LE(5)
      const now = sent.get(stream) ?? { written: 0, granted: 0, finished: false, dropped: false }
      expect(now.dropped, 'nothing follows a drop').toBe(false)
      if (bytes[0] === WIRE.netWrite) {
        expect(now.finished, 'nothing is written after the end').toBe(false)
        now.written += bytes.byteLength - 9
      }
      if (bytes[0] === WIRE.netGrant) now.granted += bytes.readUInt32LE(9)
      if (bytes[0] === WIRE.netFinish) now.finished = true
      if (bytes[0] === WIRE.netDrop) now.dropped = true
      sent.set(stream, now)
    },
    onConnection: (connection) => connections.push(connection),
  })
  return { tunnel, sent, connections }
}

/** Whether the tunnel accepted the frame. */
function isTaken(tunnel: Tunnel, frame: NetFrame): boolean {
  try {
    tunnel.take(frame)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(WireError)
    return false
  }
}

function perform(connection: Duplex | undefined, act: Exclude<Act, { frame: NetFrame }>): void {
  if (act.act === 'read') connection?.resume()
  if (act.act === 'pause') connection?.pause()
  if (act.act === 'end') connection?.end()
  if (act.act === 'destroy') connection?.destroy()
  if (act.act === 'write' && connection?.writable) connection.write(new Uint8Array(act.size))
}

it('no order of frames makes Tunnel fail, fill memory or exceed the credit', {
  timeout: scaled(60_000),
}, async () => {
  let broken = 0
  let valid = 0
  const property = fc.asyncProperty(fc.array(acts, { maxLength: 80 }), fc.nat(4), async (all, skip) => {
    const { tunnel, sent, connections } = open()
    const received = new Map<number, { data: number; credit: number }>()
    let alive = true
    for (const [index, act] of all.entries()) {
      if (!('frame' in act)) perform(connections[act.on], act)
      else if (alive) {
        const { frame } = act
        alive = isTaken(tunnel, frame)
        const total = received.get(frame.stream) ?? { data: 0, credit: 0 }
        if (alive && frame.type === 'netData') total.data += frame.data.byteLength
        if (alive && frame.type === 'netCredit') total.credit += frame.bytes
        received.set(frame.stream, total)
      }
      if (index % (skip + 1) === 0) await setImmediate()
      expect(tunnel.size).toBeLessThanOrEqual(2 * MAX_NET_STREAMS)
      const held = connections.map(({ readableLength }) => readableLength)
      expect(Math.max(0, ...held)).toBeLessThanOrEqual(2 * MAX_NET_WINDOW_BYTES)
      for (const [stream, { written, granted }] of sent) {
        const total = received.get(stream) ?? { data: 0, credit: 0 }
        expect(written).toBeLessThanOrEqual(MAX_NET_WINDOW_BYTES + total.credit)
        expect(granted).toBeLessThanOrEqual(total.data)
      }
    }
    if (alive) valid++
    else broken++
    tunnel.close()
    await setImmediate()
    expect(tunnel.size).toBe(0)
    expect(connections.every(({ destroyed }) => destroyed)).toBe(true)
  })
  await fc.assert(property, { numRuns: 600 })
  // Both valid and invalid sequences must be common enough.
  expect(broken).toBeGreaterThan(50)
  expect(valid).toBeGreaterThan(5)
})

it('Tunnel refuses empty frames, because there could be any number of them', () => {
  const { tunnel } = open()
  expect(isTaken(tunnel, { type: 'netOpen', stream: 1 })).toBe(true)
  expect(isTaken(tunnel, { type: 'netData', stream: 1, data: new Uint8Array(0) })).toBe(false)
  expect(isTaken(tunnel, { type: 'netCredit', stream: 1, bytes: 0 })).toBe(false)
})

it('Tunnel accepts only consecutive stream numbers after the first', () => {
  const { tunnel } = open()
  expect(isTaken(tunnel, { type: 'netOpen', stream: 0 })).toBe(false)
  expect(isTaken(tunnel, { type: 'netOpen', stream: 41 })).toBe(true)
  expect(isTaken(tunnel, { type: 'netOpen', stream: 41 })).toBe(false)
  expect(isTaken(tunnel, { type: 'netOpen', stream: 43 })).toBe(false)
  expect(isTaken(tunnel, { type: 'netOpen', stream: 42 })).toBe(true)
})

import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { MAX_NET_BYTES, MAX_NET_WINDOW_BYTES, type NetFrame, WIRE, WireError } from '@isopod/init'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Tunnel } from '../../../src/program/tunnel/tunnel.ts'

/** A tunnel; records its frames to init and its connections. */
function open() {
  const sent: { type: number; bytes: Buffer }[] = []
  const connections: Duplex[] = []
  const tunnel = new Tunnel({
    send: (frame) => sent.push({ type: frame[0] ?? 0, bytes: Buffer.from(frame.subarray(9)) }),
    onConnection: (connection) => connections.push(connection),
  })
  const written = () =>
    Buffer.concat(sent.filter(({ type }) => type === WIRE.netWrite).map(({ bytes }) => bytes))
  const granted = () =>
    sent
      .filter(({ type }) => type === WIRE.netGrant)
      .reduce((sum, { bytes }) => sum + bytes.readUInt32LE(), 0)
  const count = (type: number) => sent.filter((frame) => frame.type === type).length
  return { tunnel, connections, sent, written, granted, count }
}

function connected() {
  const all = open()
  all.tunnel.take({ type: 'netOpen', stream: 1 })
  const [stream] = all.connections
  if (stream === undefined) throw new Error('no connection')
  return { ...all, stream }
}

const data = (size: number) => ({ type: 'netData', stream: 1, data: Buffer.alloc(size, 'x') }) as const

describe('Tunnel: data from the host', () => {
  it('stays within the credit, complete and in order, however it is split', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 8 })
    const grants = fc.array(fc.integer({ min: 1, max: MAX_NET_WINDOW_BYTES }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(sizes, grants, async (pieces, credits) => {
        const { tunnel, stream, written, sent } = connected()
        const whole = Buffer.concat(pieces.map((size, index) => Buffer.alloc(size, index + 1)))
        let at = 0
        for (const size of pieces) {
          stream.write(whole.subarray(at, at + size))
          at += size
        }
        await setImmediate()
        let credit = MAX_NET_WINDOW_BYTES
        for (const bytes of credits) {
          expect(written().byteLength).toBe(Math.min(whole.byteLength, credit))
          const used = MAX_NET_WINDOW_BYTES - (credit - written().byteLength)
          const granted = Math.min(bytes, used)
          if (granted <= 0) continue
          tunnel.take({ type: 'netCredit', stream: 1, bytes: granted })
          credit += granted
          await setImmediate()
        }
        expect(written().equals(whole.subarray(0, written().byteLength))).toBe(true)
        for (const { type, bytes } of sent) {
          if (type === WIRE.netWrite) expect(bytes.byteLength).toBeLessThanOrEqual(MAX_NET_BYTES)
        }
        tunnel.close()
      }),
      { numRuns: 50 },
    )
  })
})

describe('Tunnel: data from the program', () => {
  it('gets new credit only as the host reads it', async () => {
    const { tunnel, stream, granted } = connected()
    tunnel.take(data(MAX_NET_BYTES))
    tunnel.take(data(MAX_NET_BYTES))
    await setImmediate()
    // Node itself reads ahead of a reader, within the same window.
    const ahead = granted()
    expect(ahead).toBeLessThanOrEqual(MAX_NET_WINDOW_BYTES)
    stream.resume()
    await setImmediate()
    expect(granted()).toBe(2 * MAX_NET_BYTES)
  })

  it('is refused beyond its credit, after its end, and for unknown streams', async () => {
    const { tunnel } = connected()
    let taken = 0
    const flood = () => {
      for (; taken < 10; taken++) tunnel.take(data(MAX_NET_BYTES))
    }
    expect(flood).toThrow(new WireError('stream 1 sends more than its credit'))
    expect(taken).toBeLessThanOrEqual((2 * MAX_NET_WINDOW_BYTES) / MAX_NET_BYTES)

    const ended = connected()
    ended.tunnel.take({ type: 'netEnd', stream: 1 })
    const wrong: [NetFrame, string][] = [
      [data(1), 'stream 1 sends after its end'],
      [{ type: 'netEnd', stream: 1 }, 'stream 1 ends twice'],
      [{ type: 'netData', stream: 2, data: Buffer.from('x') }, 'netData of stream 2, which was never opened'],
      [{ type: 'netReset', stream: 0 }, 'netReset of stream 0, which was never opened'],
      [{ type: 'netOpen', stream: 1 }, 'stream 1 is opened after 1'],
      [{ type: 'netCredit', stream: 1, bytes: 1 }, 'stream 1 has taken more than was sent'],
    ]
    for (const [frame, problem] of wrong) {
      expect(() => ended.tunnel.take(frame)).toThrow(new WireError(problem))
    }
  })

  it('is refused above the maximum number of open connections', () => {
    const { tunnel, connections } = open()
    const flood = () => {
      for (let id = 1; id < 1000; id++) tunnel.take({ type: 'netOpen', stream: id })
    }
    expect(flood).toThrow(new WireError('more than 64 streams are open'))
    expect(connections).toHaveLength(64)
  })

  it('may continue the stream numbers of the run before', () => {
    const { tunnel, connections } = open()
    tunnel.take({ type: 'netOpen', stream: 6 })
    tunnel.take({ type: 'netOpen', stream: 7 })
    // The end of a stream of the run before is ignored.
    tunnel.take({ type: 'netReset', stream: 5 })
    expect(connections).toHaveLength(2)
  })
})

describe('Tunnel: the end of a connection', () => {
  it('half-closes in either order, and drops the stream only if it is incomplete', async () => {
    const { tunnel, stream, count } = connected()
    stream.end('bye')
    stream.resume()
    await setImmediate()
    expect(count(WIRE.netFinish)).toBe(1)
    expect(tunnel.size).toBe(1)
    tunnel.take({ type: 'netEnd', stream: 1 })
    await once(stream, 'close')
    expect(count(WIRE.netDrop)).toBe(0)
    expect(tunnel.size).toBe(0)
  })

  it('by the host drops the stream and ignores frames that are still on their way', () => {
    const { tunnel, stream, count } = connected()
    stream.destroy()
    expect(count(WIRE.netDrop)).toBe(1)
    tunnel.take(data(5))
    tunnel.take({ type: 'netReset', stream: 1 })
    expect(tunnel.size).toBe(0)
  })

  it('of the run closes all streams, and sends no more frames to init', async () => {
    const { tunnel, connections, sent } = open()
    for (let id = 1; id <= 5; id++) tunnel.take({ type: 'netOpen', stream: id })
    tunnel.close()
    expect(connections.map(({ destroyed }) => destroyed)).toEqual(Array.from({ length: 5 }, () => true))
    expect(sent).toEqual([])
  })
})

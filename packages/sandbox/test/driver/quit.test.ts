import { Duplex } from 'node:stream'
import { encodeQuit, WIRE } from '@isopod/init'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sampleStarted } from '../support/sample-run.ts'
import { wiredContainer } from '../support/wired-container.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A container with a forged init; records the frames sent to it and its removal. */
function forged() {
  const sent: Buffer[] = []
  const stream = new Duplex({
    read() {},
    write: (chunk: Buffer, _encoding, done) => {
      sent.push(chunk)
      done()
    },
  })
  const removal = { asked: 0, begun: false }
  const container = wiredContainer(stream, (ending = Promise.resolve()) => {
    removal.asked++
    void ending.then(() => {
      removal.begun = true
    })
  })
  const send = (type: number, payload: object | Uint8Array) => {
    const bytes = payload instanceof Uint8Array ? payload : Buffer.from(JSON.stringify(payload))
    const header = Buffer.of(1, 0, 0, 0, 0, 0, 0, 0, type, 0, 0, 0, 0)
    header.writeUInt32BE(bytes.byteLength + 5, 4)
    header.writeUInt32LE(bytes.byteLength, 9)
    stream.push(Buffer.concat([header, bytes]))
  }
  return { container, stream, sent, removal, send }
}

const RESET = { clean: true, reason: null }
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** A container whose init has reported that no process runs. */
async function resting() {
  const forgery = forged()
  forgery.send(WIRE.started, sampleStarted())
  forgery.send(WIRE.resetDone, RESET)
  await forgery.container.receive()
  await forgery.container.receive()
  return forgery
}

it('a container without processes is asked to quit, and removed when it has', async () => {
  const { container, stream, sent, removal } = await resting()
  container.destroy()
  await advance(100)
  expect(Buffer.concat(sent)).toEqual(Buffer.from(encodeQuit()))
  expect(removal).toEqual({ asked: 1, begun: false })
  stream.push(null)
  await advance(0)
  expect(removal.begun).toBe(true)
  expect(stream.destroyed).toBe(true)
})

it('a container whose init does not quit is removed after the timeout, whatever it sends', async () => {
  const { container, stream, removal, send } = await resting()
  container.destroy()
  container.destroy()
  for (let times = 0; times < 1_000; times++) send(WIRE.stdout, new Uint8Array(1000))
  await advance(499)
  expect(await container.receive()).toBeUndefined()
  expect(removal).toEqual({ asked: 1, begun: false })
  await advance(1)
  expect(removal).toEqual({ asked: 1, begun: true })
  expect(stream.destroyed).toBe(true)
})

it('a container in which a program may run is disconnected and removed at once', async () => {
  const { container, stream, sent, removal } = await resting()
  container.send(Buffer.of(1))
  await advance(0)
  container.destroy()
  await advance(0)
  expect([sent.length, stream.destroyed, removal.begun]).toEqual([1, true, true])
})

it('frames that are sent at once leave in one write', async () => {
  const { container, stream } = await resting()
  const cork = vi.spyOn(stream, 'uncork')
  container.send(Buffer.of(1))
  container.send(Buffer.of(2))
  expect(stream.writableLength).toBe(2)
  await advance(0)
  expect([stream.writableLength, cork.mock.calls.length]).toEqual([0, 1])
})

import { Duplex } from 'node:stream'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { WIRE } from '@isopod/init'
import { limitNamesOf, TerminalError } from '@isopod/protocol'
import { expect, it } from 'vitest'
import { runProgram } from '../../src/program/run-program.ts'
import { sampleRun, sampleStarted } from '../support/sample-run.ts'
import { wiredContainer } from '../support/wired-container.ts'

const program = sampleRun()
const STARTED = sampleStarted(program)

/**
 * A container whose frames are forged by the test, because the real init sends no invalid ones.
 *
 * @param reads whether it reads what the worker sends
 */
function forged({ reads }: { reads: boolean }) {
  const stream = new Duplex({
    read() {},
    write: (_chunk, _encoding, done) => {
      if (reads) done()
    },
  })
  const container = wiredContainer(stream)
  return {
    container,
    stream,
    send: (...frames: Buffer[]) => stream.push(attachMessage(Buffer.concat(frames))),
  }
}

/** One message of the engine's attach stream. */
function attachMessage(bytes: Buffer): Buffer {
  const header = Buffer.of(1, 0, 0, 0, 0, 0, 0, 0)
  header.writeUInt32BE(bytes.byteLength, 4)
  return Buffer.concat([header, bytes])
}

function frame(type: number, payload: Uint8Array | object): Buffer {
  const bytes = payload instanceof Uint8Array ? payload : Buffer.from(JSON.stringify(payload))
  const header = Buffer.of(type, 0, 0, 0, 0)
  header.writeUInt32LE(bytes.byteLength, 1)
  return Buffer.concat([header, bytes])
}

function net(type: number, ...numbers: number[]): Buffer {
  const payload = Buffer.alloc(4 * numbers.length)
  for (const [index, number] of numbers.entries()) payload.writeUInt32LE(number, 4 * index)
  return frame(type, payload)
}

const never = new AbortController().signal

it('an invalid frame is blamed on the program once it runs, and before that on the platform', async () => {
  const running = forged({ reads: true })
  running.send(
    frame(WIRE.started, STARTED),
    frame(WIRE.stdout, Buffer.from('x')),
    Buffer.of(0xff, 0, 0, 0, 0),
  )
  const report = await runProgram(running.container, program, { signal: never })
  expect(report).toMatchObject({ done: undefined, lost: 'wire' })
  expect(Buffer.from(report.stdout.bytes).toString()).toBe('x')

  const fresh = forged({ reads: true })
  fresh.send(Buffer.of(0xff, 0, 0, 0, 0))
  await expect(runProgram(fresh.container, program, { signal: never })).rejects.toThrow(
    'the container ended before the program was started',
  )
})

it('a container that ends for memory right after the exec frame is blamed on the program', async () => {
  const { container, stream } = forged({ reads: true })
  container.end = async () => 'memory'
  const run = runProgram(container, program, { signal: never })
  stream.destroy()
  expect(await run).toMatchObject({ done: undefined, lost: 'memory' })
})

it.each(limitNamesOf('process'))(
  'a run whose %s differs from the request is ended and blamed on the platform',
  async (name) => {
    const { container, send } = forged({ reads: true })
    const other = sampleRun({ limits: { ...program.limits, [name]: program.limits[name] + 1 } })
    send(frame(WIRE.started, sampleStarted(other)), frame(WIRE.stdout, Buffer.from('x')))
    const run = runProgram(container, program, { signal: never })
    await expect(run).rejects.toThrow(`${name} is ${other.limits[name]}, wanted ${program.limits[name]}`)
    await expect(run).rejects.toBeInstanceOf(TerminalError)
  },
)

it('a port that earlier code of the job holds is blamed on the job; other faults before the start are not', async () => {
  const options = { signal: never, onConnection: () => {} }
  const taken = forged({ reads: true })
  taken.send(frame(WIRE.fault, { where: 'net', error: 'EADDRINUSE' }))
  const report = await runProgram(taken.container, program, options)
  expect(report).toMatchObject({ done: undefined, lost: 'fault' })

  for (const fault of [
    { where: 'net', error: 'EMFILE' },
    { where: 'exec', error: 'EADDRINUSE' },
  ]) {
    const other = forged({ reads: true })
    other.send(frame(WIRE.fault, fault))
    await expect(runProgram(other.container, program, options)).rejects.toThrow(
      `init failed at ${fault.where}`,
    )
  }
})

it('the worker stops reading from a container that does not read the answers', async () => {
  const { container, stream, send } = forged({ reads: false })
  let connections = 0
  const run = runProgram(container, program, {
    signal: never,
    onConnection: (connection) => {
      connections++
      connection.destroy()
    },
  })
  send(frame(WIRE.started, STARTED))
  // The worker drops each stream at once, with an answer of nine bytes.
  for (let id = 1; id <= 60_000; id++) {
    send(net(WIRE.netOpen, id))
    if (id % 5_000 === 0) await setImmediate()
  }
  await sleep(100)
  expect(connections).toBeGreaterThan(1_000)
  expect(stream.writableLength).toBeLessThan(512 * 1024)
  expect(connections).toBeLessThan(40_000)
  stream.destroy()
  await expect(run).rejects.toThrow()
})

it('the worker loses no frames of a container that reads its answers late', async () => {
  const { container, stream, send } = forged({ reads: true })
  stream.cork()
  container.send(new Uint8Array(1024 * 1024))
  send(frame(WIRE.stdout, Buffer.from('x')))
  let hasArrived = false
  const next = container.receive().then((received) => {
    hasArrived = true
    return received
  })
  await sleep(20)
  expect(hasArrived).toBe(false)
  stream.uncork()
  expect(await next).toMatchObject({ type: 'stdout' })
})

import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  encodeExec,
  encodeFetch,
  encodeKill,
  encodePutFile,
  encodeQuit,
  encodeReset,
  encodeStdin,
} from '../../src/encode.ts'
import { encodeNetDrop, encodeNetFinish, encodeNetGrant, encodeNetWrite } from '../../src/encode-net.ts'
import { PROCESS_LIMITS } from '../../src/process-limits.ts'
import { MAX_HOST_PAYLOAD_BYTES, WIRE } from '../../src/wire.ts'
import { sampleExec } from '../samples.ts'
import { Container, describeInit, exec } from './container.ts'

function frame(type: number, length: number, payload: Uint8Array = new Uint8Array(0)): Uint8Array {
  const bytes = new Uint8Array(5 + payload.byteLength)
  bytes[0] = type
  new DataView(bytes.buffer).setUint32(1, length, true)
  bytes.set(payload, 5)
  return bytes
}

/** Offsets in the payload of an exec frame: its counts, its limits, its strings. */
const [LIMITC, ARGC, ENVC, LIMITS] = [20, 22, 24, 26]
const CWD = LIMITS + 8 * PROCESS_LIMITS.length
/** An exec frame with bytes changed: offset in the payload → value. */
function changedExec(changes: Record<number, number>): Uint8Array {
  const bytes = encodeExec(sampleExec({ argv: ['true'], wallMs: 1000 }))
  for (const [at, value] of Object.entries(changes)) bytes[5 + Number(at)] = value
  return bytes
}

describeInit('init on a broken wire', () => {
  it('reports a fault of the host’s frames, and ends with every process of the container', async () => {
    for (const [what, bytes] of Object.entries({
      'type 0': frame(0, 0),
      'a type that only init sends': frame(WIRE.done, 0),
      'an oversized put': frame(WIRE.putFile, MAX_HOST_PAYLOAD_BYTES + 1),
      'an oversized length': frame(WIRE.stdin, 0xffffffff),
      'a put without a path': frame(WIRE.putFile, 4, new Uint8Array(4)),
      'a path longer than its frame': frame(WIRE.putFile, 6, new Uint8Array([0, 0, 3, 0, 97, 98])),
      'a short exec': frame(WIRE.exec, 10),
      'an exec without arguments': changedExec({ [ARGC]: 0 }),
      'an exec with more arguments than it has': changedExec({ [ARGC]: 2 }),
      'an exec with fewer arguments than it has': changedExec({ [ENVC]: 0, [ARGC]: 1, [CWD]: 0 }),
      'an exec with more limits than it has': changedExec({ [LIMITC]: 16 }),
      'more limits than there are': changedExec({ [LIMITC]: 17 }),
      'a limit of an unknown resource': changedExec({ [LIMITS]: 16 }),
      'a string longer than its frame': changedExec({ [CWD + 3]: 0xff }),
      'a NUL within a string': changedExec({ [CWD + 5]: 0 }),
      'a wall-clock limit of 0': changedExec({ 0: 0, 1: 0 }),
      'a kill without a reason': frame(WIRE.kill, 0),
      'a reset with a payload': frame(WIRE.reset, 1, new Uint8Array(1)),
      'a fetch without a path': frame(WIRE.fetch, 4, new Uint8Array(4)),
    })) {
      await using container = await Container.start()
      container.send(exec({ argv: ['sleep', '100'] }))
      await container.next('started')
      container.send(bytes)
      expect((await container.next('fault')).fault, what).toEqual({ where: 'frame', error: 'EBADMSG' })
      expect(await container.exited, what).toMatchObject({ code: 4, signal: null })
    }
  })

  it('reports the fault after a file that it is still sending, not within it', async () => {
    await using container = await Container.start()
    // More than init queues for a host that does not read.
    const size = 900_000
    container.process.stdout?.pause()
    container.send(encodePutFile('f', new Uint8Array(size)), encodeFetch('f', size), frame(0xff, 0))
    await new Promise((resolve) => setTimeout(resolve, 200))
    container.process.stdout?.resume()
    const { status, content } = await container.next('file')
    expect({ status, size: content.byteLength }).toEqual({ status: 0, size })
    expect((await container.next('fault')).fault).toEqual({ where: 'frame', error: 'EBADMSG' })
    expect((await container.exited).code).toBe(4)
  })

  it('accepts frames in pieces of any size', async () => {
    await using container = await Container.start()
    const bytes = Buffer.concat([
      encodePutFile('dir/f', Buffer.from('content')),
      exec({ argv: ['cat', 'dir/f'] }),
    ])
    for (const byte of bytes) {
      container.send(Uint8Array.of(byte))
      await new Promise(setImmediate)
    }
    expect((await container.outcome()).stdout.toString()).toBe('content')
  })

  it('ends with every process when the connection to the host ends', async () => {
    await using container = await Container.start()
    container.send(exec({ argv: ['sleep', '100'] }))
    await container.next('started')
    container.process.stdin?.end()
    expect(await container.exited).toMatchObject({ code: 3 })
  })

  it('ends when the host no longer reads', async () => {
    await using container = await Container.start()
    container.process.stdout?.destroy()
    container.send(exec({ argv: ['sleep', '100'] }))
    expect((await container.exited).code).toBe(3)
  })

  it('quits on request', async () => {
    await using container = await Container.start()
    container.send(exec({ argv: ['sleep', '100'] }))
    await container.next('started')
    container.send(encodeQuit())
    expect(await container.exited).toMatchObject({ code: 0 })
  })

  it('never crashes on random bytes', async () => {
    // Frames of each type, with a length of 1 and longer ones. The fuzzer's corpus has hundreds more.
    for (let turn = 0; turn < 33; turn++) {
      await using container = await Container.start()
      const bytes = randomBytes(3000)
      // A valid type and a plausible length reach more of init than random ones.
      bytes[0] = 1 + (turn % 11)
      bytes.writeUInt32LE(turn % 3 === 0 ? 1 : turn * 20, 1)
      container.send(bytes)
      container.process.stdin?.end()
      const { code, signal } = await container.exited
      expect({ signal, fine: code === 0 || code === 3 || code === 4 }, bytes.toString('hex')).toEqual({
        signal: null,
        fine: true,
      })
    }
  })

  it('never crashes on valid frames with some bytes changed', async () => {
    const whole = Buffer.concat([
      encodePutFile('a/b', Buffer.from('content')),
      exec({ argv: ['cat', 'a/b'], stdin: true }),
      encodeStdin(Buffer.from('some input')),
      encodeNetWrite(1, Buffer.from('some bytes')),
      encodeNetGrant(1, 10),
      encodeNetFinish(1),
      encodeNetDrop(1),
      encodeKill(),
      encodeReset(),
      exec({ argv: ['true'] }),
    ])
    for (let turn = 0; turn < 30; turn++) {
      await using container = await Container.start()
      const bytes = Buffer.from(whole)
      const noise = randomBytes(9)
      for (let i = 0; i < 1 + (turn % 3); i++)
        bytes[noise.readUInt16LE(i * 2) % bytes.byteLength] = noise[8 - i] ?? 0
      container.send(bytes)
      container.process.stdin?.end()
      const { code, signal } = await container.exited
      expect({ signal, fine: code === 0 || code === 3 || code === 4 }, bytes.toString('hex')).toEqual({
        signal: null,
        fine: true,
      })
    }
  })
})

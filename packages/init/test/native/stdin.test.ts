import { createHash, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { encodeStdin, encodeStdinEnd } from '../../src/encode.ts'
import { MAX_PENDING_STDIN_BYTES } from '../../src/wire.ts'
import { Container, describeInit, exec } from './container.ts'

const MIB = 1024 * 1024

describeInit('the stdin of a run', () => {
  it('is empty by default', async () => {
    await using container = await Container.start()
    expect((await container.sh('wc -c')).stdout.toString().trim()).toBe('0')
  })

  it('reaches the program unchanged, 1 MiB of any bytes', async () => {
    await using container = await Container.start()
    const data = randomBytes(MIB)
    for (let turn = 0; turn < 3; turn++) {
      const { stdout } = await container.sh('cat', { stdin: true }, encodeStdin(data), encodeStdinEnd())
      expect(stdout.equals(data)).toBe(true)
    }
    const { stdout } = await container.sh('wc -c', { stdin: true }, encodeStdinEnd())
    expect(stdout.toString().trim()).toBe('0')
  })

  it('keeps its order over many frames', async () => {
    await using container = await Container.start()
    const data = randomBytes(MIB)
    container.send(exec({ argv: ['sha256sum'], stdin: true }))
    for (let at = 0; at < data.byteLength; at += 999) container.send(encodeStdin(data.subarray(at, at + 999)))
    container.send(encodeStdinEnd())
    const { stdout } = await container.outcome()
    expect(stdout.toString().slice(0, 64)).toBe(createHash('sha256').update(data).digest('hex'))
  })

  it('blocks nothing if the program does not read it', async () => {
    await using container = await Container.start()
    const data = encodeStdin(Buffer.alloc(MIB, 'x'))
    expect(
      (await container.sh('sleep 0.2; exit 5', { stdin: true }, data, encodeStdinEnd())).done.exitCode,
    ).toBe(5)
    expect(
      (await container.sh('exec <&-; sleep 0.2; exit 6', { stdin: true }, data, data)).done.exitCode,
    ).toBe(6)
    expect((await container.sh('sleep 100', { stdin: true, wallMs: 200 }, data)).done.limit).toBe('timeout')
  })

  it('of one program never reaches the next', async () => {
    await using container = await Container.start()
    await container.sh('exit 0', { stdin: true }, encodeStdin(Buffer.alloc(MIB, 'x')))
    container.send(encodeStdin(Buffer.from('late')), encodeStdinEnd())
    expect((await container.sh('cat')).stdout.byteLength).toBe(0)
    const { stdout } = await container.sh(
      'cat',
      { stdin: true },
      encodeStdin(Buffer.from('own')),
      encodeStdinEnd(),
    )
    expect(stdout.toString()).toBe('own')
  })

  it('ends init with a fault if too much is unread', async () => {
    await using container = await Container.start()
    container.send(exec({ argv: ['sleep', '100'], stdin: true }))
    await container.next('started')
    for (let at = 0; at < 3; at++)
      container.send(encodeStdin(Buffer.alloc(MAX_PENDING_STDIN_BYTES / 2 + MIB / 8)))
    expect((await container.next('fault')).fault).toEqual({ where: 'stdin', error: 'ENOBUFS' })
    expect(await container.exited).toMatchObject({ code: 4 })
  })
})

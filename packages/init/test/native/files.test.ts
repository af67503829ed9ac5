import { randomBytes } from 'node:crypto'
import { constants } from 'node:os'
import { expect, it } from 'vitest'
import { encodeFetch, encodeKill, encodePutFile, encodeReset, encodeStdin } from '../../src/encode.ts'
import { Container, describeInit, exec } from './container.ts'

const MIB = 1024 * 1024
const { errno } = constants

async function fetch(container: Container, path: string, maxBytes = 10 * MIB) {
  container.send(encodeFetch(path, maxBytes))
  return container.next('file')
}

describeInit('files of the host', () => {
  it('are written with their bytes and modes, and missing directories are created', async () => {
    await using container = await Container.start()
    const data = randomBytes(5 * MIB)
    container.send(
      encodePutFile('a/b/große datei', data),
      encodePutFile('run.sh', Buffer.from('echo ran'), 0o755),
    )
    container.send(encodePutFile('empty', new Uint8Array(0), 0o400))
    const { stdout } = await container.sh('stat -c %a:%s a a/b a/b/* run.sh empty; bash ./run.sh')
    expect(stdout.toString()).toMatch(/^700:\d+\n700:\d+\n600:5242880\n755:8\n400:0\nran\n$/)
    expect(Buffer.from((await fetch(container, 'a/b/große datei')).content).equals(data)).toBe(true)
  })

  it('replace a file of the same name', async () => {
    await using container = await Container.start()
    container.send(
      encodePutFile('f', Buffer.from('older and longer')),
      encodePutFile('f', Buffer.from('new')),
    )
    expect((await container.sh('cat f')).stdout.toString()).toBe('new')
  })

  it('are never written through a link that the program has made', async () => {
    await using container = await Container.start()
    await container.sh(
      'mkdir /tmp/out; echo old > /tmp/target; ln -s /tmp/target f; ln -s /tmp/out d; ln /tmp/target hard 2>/dev/null',
    )
    container.send(encodePutFile('f', Buffer.from('new')))
    container.send(encodePutFile('d/x', Buffer.from('new')))
    expect((await container.next('fault')).fault.where).toBe('put')
    await container.sh('true') // Refused, because a file of it could not be written.
    expect((await container.sh('cat /tmp/target f; ls /tmp/out; test ! -L f')).stdout.toString()).toBe(
      'old\nnew',
    )
  })

  it('are refused if their path is invalid', async () => {
    await using container = await Container.start()
    for (const path of [
      '../x',
      'a/../../x',
      '/etc/x',
      '/',
      '.',
      '..',
      'a//b',
      'a/',
      './a',
      'x'.repeat(256),
      'a\u0000b',
    ]) {
      const frame = encodePutFile(path.replaceAll('\u0000', '?'), Buffer.from('x'))
      container.send(path.includes('\u0000') ? frame.map((byte) => (byte === 0x3f ? 0 : byte)) : frame)
      const { fault } = await container.next('fault')
      expect(fault, path).toEqual({ where: 'put', error: path.length > 255 ? 'ENAMETOOLONG' : 'EINVAL' })
    }
  })

  it('prevent the next program from starting if they do not fit', async () => {
    await using container = await Container.start({ size: '1m' })
    container.send(encodePutFile('big', Buffer.alloc(2 * MIB)), exec({ argv: ['true'] }))
    expect((await container.next('fault')).fault).toEqual({ where: 'put', error: 'ENOSPC' })
    expect((await container.outcome()).done).toMatchObject({ spawnError: 'ECANCELED', exitCode: 127 })
    expect((await container.sh('df --output=used . | tail -1')).stdout.toString().trim()).toBe('0')
  })

  it('that were refused prevent no program after a reset', async () => {
    await using container = await Container.start()
    container.send(encodePutFile('../x', Buffer.from('x')), encodeReset())
    await container.next('fault')
    await container.next('reset')
    expect((await container.sh('exit 2')).done.exitCode).toBe(2)
  })
})

describeInit('files of the program', () => {
  it('are fetched up to the requested size', async () => {
    await using container = await Container.start()
    await container.sh('head -c 1000 /dev/zero > f; : > empty; head -c 9M /dev/zero > large')
    expect((await fetch(container, 'f', 1000)).content.byteLength).toBe(1000)
    expect(await fetch(container, 'f', 999)).toMatchObject({ status: errno.EFBIG })
    expect(await fetch(container, 'empty', 0)).toMatchObject({ status: 0, content: new Uint8Array(0) })
    for (let turn = 0; turn < 20; turn++) {
      expect((await fetch(container, 'large')).content.byteLength).toBe(9 * MIB)
    }
  })

  it('are not fetched if they are special, linked twice or behind a link', async () => {
    await using container = await Container.start()
    await container.sh(
      'mkdir d; echo x > d/f; ln -s d l; ln -s d/f s; mkfifo p; ln d/f h; ln -s /proc/1/environ e; touch u; chmod 0 u',
    )
    for (const [path, status] of [
      ['l/f', errno.ENOTDIR],
      ['s', errno.ELOOP],
      ['e', errno.ELOOP],
      ['p', errno.EINVAL],
      ['h', errno.EMLINK],
      ['d', errno.EISDIR],
      ['u', errno.EACCES],
      ['none', errno.ENOENT],
      ['../etc/passwd', errno.EINVAL],
      ['/etc/passwd', errno.EINVAL],
    ] as const) {
      expect(await fetch(container, path), path).toMatchObject({ status, content: new Uint8Array(0) })
    }
  })

  it('are neither put while the program runs, nor fetched before its end', async () => {
    await using container = await Container.start()
    container.send(exec({ argv: ['sh', '-c', 'head -c 1 >/dev/null; printf x >f'], stdin: true }))
    container.send(encodeFetch('f', 10), encodeFetch('g', 10))
    await container.next('started')
    expect(await container.next('file')).toMatchObject({ status: errno.EBUSY })
    container.send(encodePutFile('f', Buffer.from('y')))
    expect((await container.next('fault')).fault).toEqual({ where: 'put', error: 'EBUSY' })
    container.send(encodeStdin(Buffer.from('go')))
    await container.next('done')
    expect(Buffer.from((await container.next('file')).content).toString()).toBe('x')
  })

  it.each([
    ['killed', encodeKill()],
    ['reset', encodeReset()],
  ])('are answered once if the run that they wait for is %s', async (how, frame) => {
    await using container = await Container.start()
    container.send(exec({ argv: ['sleep', '100'] }), encodeFetch('f', 10), frame)
    await container.next('started')
    await container.next('done')
    expect(await container.next('file')).toMatchObject({ status: errno.ENOENT })
    if (how === 'reset') await container.next('reset')
    await container.sh('printf x >g')
    expect(Buffer.from((await fetch(container, 'g')).content).toString()).toBe('x')
  })
})

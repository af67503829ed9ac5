import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { encodeKill } from '../../src/encode.ts'
import { WIRE } from '../../src/wire.ts'
import { Container, describeInit, exec } from './container.ts'

const MIB = 1024 * 1024
/** Two processes write `a` bytes to stdout and `b` bytes to stderr at the same time. */
const flood = (a: number, b: number) =>
  `(head -c ${a} /dev/zero | tr "\\0" o) & (head -c ${b} /dev/zero | tr "\\0" e >&2) & wait`

describeInit('the output of a run', () => {
  it('is cut exactly at the limit and counted beyond it, on both streams at once', async () => {
    await using container = await Container.start()
    const { done, stdout, stderr } = await container.sh(flood(60 * MIB + 7, 50 * MIB + 1), {
      stdoutLimit: 102_400,
      stderrLimit: 100_001,
    })
    expect(done).toMatchObject({
      exitCode: 0,
      stdoutBytes: 60 * MIB + 7,
      stderrBytes: 50 * MIB + 1,
      stdoutTruncated: true,
      stderrTruncated: true,
      limit: null,
    })
    expect(stdout.equals(Buffer.alloc(102_400, 'o'))).toBe(true)
    expect(stderr.equals(Buffer.alloc(100_001, 'e'))).toBe(true)
  })

  it('is complete and not truncated if it is exactly as long as the limit', async () => {
    await using container = await Container.start()
    const { done, stdout, stderr } = await container.sh('head -c 1000 /dev/zero; printf abc >&2', {
      stdoutLimit: 1000,
      stderrLimit: 2,
    })
    expect(stdout.byteLength).toBe(1000)
    expect(stderr.toString()).toBe('ab')
    expect(done).toMatchObject({ stdoutTruncated: false, stderrTruncated: true, stderrBytes: 3 })
  })

  it('is discarded and counted with a limit of 0', async () => {
    await using container = await Container.start()
    const { done, stdout } = await container.sh('printf abc', { stdoutLimit: 0 })
    expect(stdout.byteLength).toBe(0)
    expect(done).toMatchObject({ stdoutBytes: 3, stdoutTruncated: true, stderrTruncated: false })
  })

  it('ends the run at the first byte above the limit on request', async () => {
    await using container = await Container.start()
    const killed = await container.sh('printf abcd; sleep 100', { stdoutLimit: 3, killOnOverflow: true })
    expect(killed.done).toMatchObject({ limit: 'output', signal: 9, stdoutTruncated: true })
    expect(killed.stdout.toString()).toBe('abc')
    const full = await container.sh('printf abc; sleep 0.1', { stdoutLimit: 3, killOnOverflow: true })
    expect(full.done).toMatchObject({ limit: null, exitCode: 0, stdoutTruncated: false })
  })

  it('exceeds its limit even if the program ends at once', async () => {
    await using container = await Container.start()
    for (let turn = 0; turn < 10; turn++) {
      const { done, stdout } = await container.sh('printf abcd', { stdoutLimit: 3, killOnOverflow: true })
      expect(done).toMatchObject({ limit: 'output', stdoutBytes: 4, stdoutTruncated: true })
      expect(stdout.toString()).toBe('abc')
    }
    const { done } = await container.sh('printf abcd; exit 7', { stdoutLimit: 3 })
    expect(done).toMatchObject({ limit: null, exitCode: 7, stdoutTruncated: true })
  })

  it('is complete when the host reads slowly', async () => {
    await using container = await Container.start()
    container.process.stdout?.pause()
    container.send(exec({ argv: ['bash', '-c', flood(4 * MIB, 3 * MIB)] }))
    await sleep(700)
    container.process.stdout?.resume()
    const { done, stdout, stderr } = await container.outcome()
    expect([stdout.byteLength, stderr.byteLength]).toEqual([4 * MIB, 3 * MIB])
    expect(done).toMatchObject({ stdoutTruncated: false, stderrTruncated: false, exitCode: 0 })
  })

  it('does not delay the deadline when the host does not read', async () => {
    await using container = await Container.start()
    container.process.stdout?.pause()
    container.send(exec({ argv: ['bash', '-c', 'cat /dev/zero'], wallMs: 300, stdoutLimit: 1000 * MIB }))
    const unreadMs = 2000
    await sleep(unreadMs)
    container.process.stdout?.resume()
    const { done, stdout } = await container.outcome()
    expect(done.limit).toBe('timeout')
    expect(done.wallMs).toBeLessThan(unreadMs)
    expect(done.stdoutBytes).toBe(stdout.byteLength)
  })

  it('keeps NUL and undecodable bytes as they are', async () => {
    await using container = await Container.start()
    const { stdout } = await container.perl('binmode STDOUT; print map chr, 0..255')
    expect([...stdout]).toEqual(Array.from({ length: 256 }, (_, byte) => byte))
  })

  it('is data even if it looks like frames of the wire', async () => {
    await using container = await Container.start()
    const forged = Buffer.concat([
      Buffer.from([WIRE.done, 2, 0, 0, 0, 0x7b, 0x7d]),
      Buffer.from([WIRE.resetDone, 0xff, 0xff, 0xff, 0xff]),
    ])
    const octal = [...forged].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
    const { done, stdout } = await container.sh(
      `printf '${octal}'; printf '${octal}' > /proc/self/fd/2; exit 4`,
    )
    expect(stdout.equals(forged)).toBe(true)
    expect(done.exitCode).toBe(4)
  })

  it('includes what is still in the pipes when the run is ended', async () => {
    await using container = await Container.start()
    container.process.stdout?.pause()
    container.send(exec({ argv: ['bash', '-c', `${flood(2 * MIB, 2 * MIB)}; sleep 100`] }))
    await sleep(1500)
    container.send(encodeKill())
    await sleep(100)
    container.process.stdout?.resume()
    const { done, stdout, stderr } = await container.outcome()
    expect(done.killed).toBe(true)
    expect([done.stdoutBytes, done.stderrBytes]).toEqual([stdout.byteLength, stderr.byteLength])
    // More than init queues, so init reads part of it from the pipes after the end of the run.
    expect(stdout.byteLength + stderr.byteLength).toBeGreaterThan(2 * 256 * 1024)
  })

  it('ends even if the program has left a descriptor of its pipe in an unread message', async (context) => {
    context.skip(process.arch !== 'x64', 'the program calls sendmsg by its number on x86-64')

    await using container = await Container.start()
    // A raw sendmsg with SCM_RIGHTS: it passes descriptor 1 over a socket pair whose own ends are in unread messages.
    const script = `
      use Socket; socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, 0);
      for my $fd (1, fileno($b), fileno($a)) {
        my $control = pack("QiiiI", 20, 1, 1, $fd, 0); my $byte = "x"; my $iov = pack("PQ", $byte, 1);
        my $message = pack("QIIPQPQiI", 0, 0, 0, $iov, 1, $control, 24, 0, 0);
        syscall(46, fileno($a), $message, 0) == 1 or die "sendmsg: $!";
      }
      print "sent";`
    const { done, stdout, stderr } = await container.perl(script)
    expect(stderr.toString()).toBe('')
    expect(stdout.toString()).toBe('sent')
    expect(done.exitCode).toBe(0)
  })
})

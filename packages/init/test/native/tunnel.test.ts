import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { encodeKill, encodeReset } from '../../src/encode.ts'
import { encodeNetDrop, encodeNetFinish, encodeNetGrant, encodeNetWrite } from '../../src/encode-net.ts'
import type { Done, InitFrame } from '../../src/frames.ts'
import { MAX_NET_BYTES, MAX_NET_STREAMS, MAX_NET_WINDOW_BYTES, NET_PORT } from '../../src/wire.ts'
import { sampleLimits } from '../samples.ts'
import { Container, describeInit, exec } from './container.ts'

const CONNECT = `use IO::Socket::INET; $| = 1; sub dial { IO::Socket::INET->new(PeerAddr => "127.0.0.1:${NET_PORT}") }`
/** A command that counts the sockets of the port inside the container. */
const LISTENERS = `grep -c ':${NET_PORT.toString(16).toUpperCase()} ' /proc/net/tcp`

/** Answers frames until the run is done. */
async function serve(
  container: Container,
  answer: (frame: InitFrame) => readonly Uint8Array[],
): Promise<{ done: Done; stdout: string; frames: InitFrame[] }> {
  const frames: InitFrame[] = []
  let stdout = ''
  for (;;) {
    const frame = await container.frame()
    frames.push(frame)
    if (frame.type === 'stdout') stdout += Buffer.from(frame.data).toString()
    if (frame.type === 'done') return { done: frame.done, stdout, frames }
    container.send(...answer(frame))
  }
}

/** Sends all bytes back, and grants credit for them. */
function echo(frame: InitFrame): Uint8Array[] {
  if (frame.type === 'netData')
    return [encodeNetGrant(frame.stream, frame.data.byteLength), encodeNetWrite(frame.stream, frame.data)]
  return frame.type === 'netEnd' ? [encodeNetFinish(frame.stream)] : []
}

/** Writes all of `data` to one stream as its credit allows, then finishes; takes the stream's credit frames. */
function writer(data: Uint8Array) {
  let sent = 0
  let credit = MAX_NET_WINDOW_BYTES
  return (frame: InitFrame & { readonly stream: number }): Uint8Array[] => {
    if (frame.type === 'netCredit') credit += frame.bytes
    const frames: Uint8Array[] = []
    if (sent === data.byteLength) return frames
    while (sent < data.byteLength && credit > 0) {
      const size = Math.min(MAX_NET_BYTES, credit, data.byteLength - sent)
      frames.push(encodeNetWrite(frame.stream, data.subarray(sent, sent + size)))
      sent += size
      credit -= size
    }
    return sent === data.byteLength ? [...frames, encodeNetFinish(frame.stream)] : frames
  }
}

const perl = (script: string, more = {}) => exec({ argv: ['perl', '-e', script], tunnel: true, ...more })

describeInit('the tunnel of a run', () => {
  it('works with the smallest limit of open files', async () => {
    await using container = await Container.start()
    container.send(perl('print "ran"', { limits: sampleLimits({ openFiles: 16 }) }))
    const { done, stdout } = await serve(container, () => [])
    expect([done.spawnError, done.exitCode, stdout]).toEqual([null, 0, 'ran'])
  })

  it('exists only if it is granted', async () => {
    await using container = await Container.start()
    const { stdout } = await container.sh(
      `${LISTENERS}; exec 3<>/dev/tcp/127.0.0.1/${NET_PORT} || echo refused`,
    )
    expect(stdout.toString()).toBe('0\nrefused\n')
  })

  it('carries bytes in both directions, separately for each stream, and half-closes', async () => {
    await using container = await Container.start()
    container.send(
      perl(
        `${CONNECT} my @s = map { dial() } 1..5; for (0..4) { my $s = $s[$_]; print $s "from $_"; shutdown $s, 1 } for (@s) { local $/; print <$_>, "\\n" }`,
      ),
    )
    const { stdout, done, frames } = await serve(container, echo)
    const ids = frames.flatMap((frame) => (frame.type === 'netOpen' ? [frame.stream] : []))
    expect(ids).toEqual([1, 2, 3, 4, 5])
    expect(stdout).toBe('from 0\nfrom 1\nfrom 2\nfrom 3\nfrom 4\n')
    expect(done.exitCode).toBe(0)
  })

  it('carries megabytes unchanged within the credit of both sides', async () => {
    await using container = await Container.start()
    const data = randomBytes(3 * 1024 * 1024)
    const give = writer(data)
    container.send(
      perl(`${CONNECT} my $s = dial(); { local $/; $_ = <$s> } print $s $_; close $s; sleep 100`),
    )
    const back: Uint8Array[] = []
    await serve(container, (frame) => {
      if (frame.type === 'netOpen' || frame.type === 'netCredit') return give(frame)
      if (frame.type === 'netData') {
        back.push(frame.data)
        return [encodeNetGrant(frame.stream, frame.data.byteLength)]
      }
      return frame.type === 'netEnd' ? [encodeKill()] : []
    })
    expect(Buffer.concat(back).equals(data)).toBe(true)
  })

  it('passes the whole answer to a program that has half-closed, however slowly it reads', async () => {
    await using container = await Container.start()
    // Two runs: the first connection must not leave the port in use.
    for (let turn = 0; turn < 2; turn++) {
      const give = writer(Buffer.alloc(100_000, 'y'))
      container.send(
        perl(
          `${CONNECT} my $s = dial(); setsockopt $s, SOL_SOCKET, SO_RCVBUF, 4096; shutdown $s, 1; my $n = 0; while (my $got = sysread $s, my $b, 4096) { $n += $got; select undef, undef, undef, 0.01 } print "$n $!"`,
        ),
      )
      const { stdout } = await serve(container, (frame) =>
        frame.type === 'netEnd' || frame.type === 'netCredit' ? give(frame) : [],
      )
      expect(stdout).toBe('100000 ')
    }
  })

  it('sends no more than its credit', async () => {
    await using container = await Container.start()
    container.send(perl(`${CONNECT} my $s = dial(); print $s "x" x 1e6 while 1`, { wallMs: 1000 }))
    const { frames, done } = await serve(container, () => [])
    const bytes = frames.flatMap((frame) => (frame.type === 'netData' ? [frame.data.byteLength] : []))
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBe(MAX_NET_WINDOW_BYTES)
    expect(done.limit).toBe('timeout')
  })

  it('delays neither output nor the end when 10,000 connections wait', async () => {
    await using container = await Container.start()
    container.send(
      perl(
        `use Socket; use POSIX; my $a = sockaddr_in(${NET_PORT}, inet_aton("127.0.0.1")); my @s; for (1..10000) { socket my $s, PF_INET, SOCK_STREAM | 2048, 0 or (@s = (), redo); connect $s, $a; send $s, "x" x 100, 0; push @s, $s } print "through\\n"`,
        { limits: sampleLimits({ openFiles: 1024 }) },
      ),
    )
    const { frames, stdout, done } = await serve(container, () => [])
    expect(stdout).toBe('through\n')
    expect(done.exitCode).toBe(0)
    const ids = frames.flatMap((frame) => (frame.type === 'netOpen' ? [frame.stream] : []))
    expect(ids).toEqual(ids.map((_, index) => index + 1))
    let open = 0
    for (const { type } of frames) {
      if (type === 'netOpen') open++
      if (type === 'netReset') open--
      expect(open).toBeLessThanOrEqual(MAX_NET_STREAMS)
    }
    expect(open).toBeGreaterThan(0)
  })

  it('releases a stream when the program or the host hangs up', async () => {
    await using container = await Container.start()
    container.send(
      perl(
        `${CONNECT} for (1..200) { my $s = dial(); print $s "x"; my $got = <$s>; close $s } print "all\\n"`,
      ),
    )
    const { stdout } = await serve(container, (frame) =>
      frame.type === 'netData' ? [encodeNetDrop(frame.stream)] : [],
    )
    expect(stdout).toBe('all\n')
  })

  it('sends a program that reads nothing only its window, and does not block other streams', async () => {
    await using container = await Container.start()
    container.send(perl(`${CONNECT} my $slow = dial(); my $s = dial(); print $s "x"; print scalar <$s>`))
    const credit = new Map<number, number>()
    const { stdout } = await serve(container, (frame) => {
      if (frame.type === 'netOpen') credit.set(frame.stream, MAX_NET_WINDOW_BYTES)
      if (frame.type === 'netCredit') credit.set(frame.stream, (credit.get(frame.stream) ?? 0) + frame.bytes)
      if (frame.type === 'netData') return [encodeNetWrite(frame.stream, Buffer.from('y\n'))]
      const left = credit.get(1) ?? 0
      credit.set(1, 0)
      const pieces = Math.floor(left / MAX_NET_BYTES)
      return Array.from({ length: pieces }, () => encodeNetWrite(1, Buffer.alloc(MAX_NET_BYTES)))
    })
    expect(stdout).toBe('y\n')
  })

  it('treats more than the credit from the host as a broken wire', async () => {
    await using container = await Container.start()
    container.send(perl(`${CONNECT} my $s = dial(); kill 19, $$`))
    await container.next('started')
    const { stream } = await container.next('netOpen')
    // Credit was granted only for the few bytes that the sockets hold.
    for (let turn = 0; turn < 100; turn++) container.send(encodeNetWrite(stream, Buffer.alloc(MAX_NET_BYTES)))
    let frame = await container.frame()
    while (frame.type === 'netCredit' || frame.type === 'sample') frame = await container.frame()
    expect(frame).toMatchObject({ type: 'fault', fault: { where: 'frame', error: 'ENOBUFS' } })
    expect(await container.exited).toMatchObject({ code: 4 })
  })

  it('ignores frames for a stream that has ended or never existed', async () => {
    await using container = await Container.start()
    container.send(encodeNetWrite(77, Buffer.from('x')), encodeNetGrant(77, 1), encodeNetFinish(77))
    container.send(encodeNetDrop(77))
    expect((await container.sh('echo well')).stdout.toString()).toBe('well\n')
  })

  it('ends with the run: no listener, no connection, nothing after done', async () => {
    await using container = await Container.start()
    for (let turn = 0; turn < 3; turn++) {
      container.send(
        perl(`${CONNECT} my @s = map { dial() } 1..8; print $_ "x" for @s; print "up\\n"; sleep 100`),
      )
      let frame = await container.frame()
      while (frame.type !== 'stdout') frame = await container.frame()
      container.send(encodeKill())
      await serve(container, () => [])
      const { stdout } = await container.sh(LISTENERS)
      expect(stdout.toString()).toBe('0\n')
      container.send(encodeReset())
      expect((await container.next('reset')).reset.clean).toBe(true)
    }
  })

  it('lets no program listen on its port', async () => {
    await using container = await Container.start()
    const take = `use Socket; for my $a ("127.0.0.1", "0.0.0.0") { socket my $s, PF_INET, SOCK_STREAM, 0; setsockopt $s, SOL_SOCKET, SO_REUSEADDR, 1; setsockopt $s, SOL_SOCKET, SO_REUSEPORT, 1; print bind($s, sockaddr_in(${NET_PORT}, inet_aton($a))) && listen($s, 1) ? "taken" : "refused", "\\n" }`
    container.send(perl(take))
    expect((await serve(container, () => [])).stdout).toBe('refused\nrefused\n')
  })

  it('never reuses a stream number, so that late frames of an earlier run hit no stream', async () => {
    await using container = await Container.start()
    for (const expected of [
      [1, 2],
      [3, 4],
    ]) {
      container.send(perl(`${CONNECT} my @s = (dial(), dial()); print $_ "x" for @s; sleep 100`))
      const { frames } = await serve(container, (frame) =>
        frame.type === 'netOpen' && frame.stream === expected[1]
          ? [encodeNetWrite(1, Buffer.from('late')), encodeKill()]
          : [],
      )
      expect(frames.flatMap((frame) => (frame.type === 'netOpen' ? [frame.stream] : []))).toEqual(expected)
    }
  })

  it('reports a port that an earlier run has left in use', async () => {
    await using container = await Container.start()
    // The side that closes first keeps the port in use for a minute, unless it has set SO_REUSEADDR.
    const leave = `use Socket; my $a = sockaddr_in(${NET_PORT}, INADDR_LOOPBACK); socket my $l, PF_INET, SOCK_STREAM, 0; bind($l, $a) && listen($l, 5) or die; socket my $c, PF_INET, SOCK_STREAM, 0; connect $c, $a or die; accept my $s, $l; close $s; close $c; print "left"`
    expect((await container.perl(leave)).stdout.toString()).toBe('left')
    container.send(perl('1'))
    expect((await container.next('fault')).fault).toEqual({ where: 'net', error: 'EADDRINUSE' })
    expect((await container.sh('exit 3')).done.exitCode).toBe(3)
  })

  it('opens although an unread message of an earlier run holds a listener of its port', async (context) => {
    context.skip(process.arch !== 'x64', 'the program calls sendmsg by its number on x86-64')

    await using container = await Container.start()
    // A raw sendmsg with SCM_RIGHTS: it passes the listener over a socket pair whose own ends are in unread messages.
    const leave = `
      use Socket; socket my $l, PF_INET, SOCK_STREAM, 0; bind($l, sockaddr_in(${NET_PORT}, INADDR_LOOPBACK)) && listen($l, 5) or die;
      socketpair my $a, my $b, AF_UNIX, SOCK_DGRAM, 0;
      for my $fd (fileno($l), fileno($b), fileno($a)) {
        my $control = pack("QiiiI", 20, 1, 1, $fd, 0); my $byte = "x"; my $iov = pack("PQ", $byte, 1);
        my $message = pack("QIIPQPQiI", 0, 0, 0, $iov, 1, $control, 24, 0, 0);
        syscall(46, fileno($a), $message, 0) == 1 or die "sendmsg: $!";
      }
      print "left"`
    for (let turn = 0; turn < 5; turn++) {
      const { stdout } = await container.perl(leave)
      expect(stdout.toString()).toBe('left')
      container.send(perl(`${CONNECT} print dial() ? "connected" : "refused"`))
      await container.next('started')
      expect((await serve(container, () => [])).stdout).toBe('connected')
    }
  })
})

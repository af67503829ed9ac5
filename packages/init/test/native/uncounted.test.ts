import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Container, describeInit } from './container.ts'

const MIB = 1024 * 1024
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** Files of a control group with a limit of 32 MiB that counts no memory of its processes. */
function group(version: 1 | 2, more: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'isopod-cgroup-'))
  folders.push(root)
  chmodSync(root, 0o755)
  const files =
    version === 1
      ? { 'memory/memory.limit_in_bytes': `${32 * MIB}\n`, 'memory/memory.usage_in_bytes': '1000\n' }
      : { 'cgroup.controllers': 'memory\n', 'memory.max': `${32 * MIB}\n`, 'memory.current': '1000\n' }
  for (const [path, content] of Object.entries({ ...files, ...more })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

/** A Perl program: connections with up to `mib` MiB of unread data, then a pause in which init checks. */
function connections(mib: number, then: 'kept' | 'accepted' | 'closed', family = 2): string {
  const address = family === 2 ? 'sockaddr_in(0, INADDR_LOOPBACK)' : 'pack("SnNx15CN", 10, 0, 0, 1, 0)'
  const more = {
    kept: 'push @open, $s;',
    accepted: 'accept(my $a, $l); push @open, $s, $a;',
    // As much as fits into the other side's window.
    closed: '$sum += syswrite($s, $data); next;',
  }[then]
  return `use Socket; use Fcntl; socket(my $l, ${family}, 1, 0); bind($l, ${address}) or die "bind $!"; listen($l, 4096);
    my ($sum, @open) = (0); my $data = "x" x 32768;
    while ($sum < ${mib} << 20) {
      socket(my $s, ${family}, 1, 0) or die "socket $!"; connect($s, getsockname $l) or die "connect $!";
      fcntl($s, F_SETFL, O_NONBLOCK); ${more}
      my $put = 1; while ($put && $sum < ${mib} << 20) { $put = syswrite($s, $data); $sum += $put if $put }
    }
    select undef, undef, undef, 0.5`
}

const datagrams = (
  mib: number,
) => `use Socket; my ($sum, @open) = (0); my $data = "x" x 60000; socket(my $o, 2, 2, 0);
  while ($sum < ${mib} << 20) {
    socket(my $s, 2, 2, 0); setsockopt($s, 1, 8, pack "i", 4 << 20); bind($s, sockaddr_in(0, INADDR_LOOPBACK)) or die;
    push @open, $s; for (1..40) { $sum += send($o, $data, 0, getsockname $s) }
  }
  select undef, undef, undef, 0.5`

/** A program with 512 KiB of unread data, for two seconds. */
const UNREAD = `use Socket; socket(my $l, 2, 1, 0); bind($l, sockaddr_in(0, INADDR_LOOPBACK)); listen($l, 8);
  for (1..8) { socket(my $s, 2, 1, 0); connect($s, getsockname $l); accept(my $a, $l); syswrite($s, "x" x 65536); push @open, $s, $a }
  select undef, undef, undef, 2`

/** A program that takes hundreds of MiB of host memory: each unread byte keeps a buffer of 32 KiB in memory. */
const HOARD = `use Socket; socket(my $l, 2, 1, 0); bind($l, sockaddr_in(0, INADDR_LOOPBACK)); listen($l, 8);
  sub pair { socket(my $s, 2, 1, 0); connect($s, getsockname $l); accept(my $a, $l); return ($s, $a) }
  my ($keep, $unread) = pair(); my ($in, $out) = pair(); my $data = "x" x 32767;
  select undef, undef, undef, 0.3;
  for (1..24000) { syswrite($keep, "x"); syswrite($in, $data); for (my $got = 0; $got < 32767;) { $got += sysread($out, my $some, 32767) } }
  select undef, undef, undef, 3`

describeInit('memory of sockets that no cgroup counts', () => {
  it.each([
    ['connections that are never accepted', 1, connections(128, 'kept')],
    ['IPv6 connections that are never accepted', 1, connections(128, 'kept', 10)],
    ['connections that are never read', 1, connections(128, 'accepted')],
    ['datagrams that are never read', 1, datagrams(128)],
    ['connections that are never accepted', 2, connections(96, 'closed')],
  ] as const)('%s end the run as memory under cgroup v%i', async (_, version, script) => {
    await using container = await Container.start({ cgroup: group(version) })
    const { done, stderr } = await container.perl(script)
    expect(stderr.toString()).toBe('')
    expect(done).toMatchObject({ limit: 'memory', signal: 9 })
  })

  it('does not end a run for memory that its cgroup counts', async () => {
    await using container = await Container.start({ cgroup: group(2) })
    const { done } = await container.perl(connections(64, 'accepted'))
    expect(done).toMatchObject({ limit: null, exitCode: 0 })
  })

  it.each([1, 2] as const)(
    'connections and datagrams within the limit are not touched under cgroup v%i',
    async (version) => {
      await using container = await Container.start({ cgroup: group(version) })
      for (const script of [
        connections(8, 'kept'),
        connections(8, 'accepted'),
        connections(8, 'closed'),
        datagrams(8),
      ]) {
        expect((await container.perl(script)).done).toMatchObject({ limit: null, exitCode: 0 })
      }
    },
  )

  it('does not blame a waiting program with unread data for memory that the host loses', async () => {
    await using container = await Container.start({
      cgroup: group(1, { 'cpuacct/cpuacct.usage': '1000000000000\n' }),
    })
    const waiting = container.perl(UNREAD)
    const host = spawn('perl', ['-e', HOARD], { stdio: 'ignore' })
    const { done } = await waiting
    host.kill()
    expect(done).toMatchObject({ limit: null, exitCode: 0 })
  })
})

import { expect, it } from 'vitest'
import { encodeFetch, encodeInspect, encodePutFile, encodeReset } from '../../src/encode.ts'
import { Container, describeInit, exec } from './container.ts'

async function reset(container: Container) {
  container.send(encodeReset())
  return (await container.next('reset')).reset
}

const CLEAN = { clean: true, reason: null }
const LIST = 'find /workspace /tmp /dev/shm -printf "%p %m\\n"'
const FRESH = '/workspace 700\n/tmp 1777\n/dev/shm 1777\n'

describeInit('a reset', () => {
  it('removes every file in every writable mount, and reports that it is clean', async () => {
    await using container = await Container.start()
    await container.sh(
      'for d in /workspace /tmp /dev/shm; do cd $d; mkdir -p a/b/c .h; touch a/f a/b/f .h/f -- -rf "$(printf "n\\nl")"; ln -s /etc l; mkfifo p; done',
    )
    expect(await reset(container)).toEqual(CLEAN)
    expect((await container.sh(LIST)).stdout.toString()).toBe(FRESH)
    expect((await container.sh('test -e /etc -a -e /usr/bin/perl && echo there')).stdout.toString()).toBe(
      'there\n',
    )
  })

  it('follows a run that asked for it, after the file that waits for the end of the run', async () => {
    await using container = await Container.start()
    container.send(exec({ argv: ['bash', '-c', 'printf x >f'], resets: true }), encodeFetch('f', 10))
    expect((await container.outcome()).done).toMatchObject({ exitCode: 0 })
    expect(Buffer.from((await container.next('file')).content).toString()).toBe('x')
    expect((await container.next('reset')).reset).toEqual(CLEAN)
    expect((await container.next('ready')).ready).toEqual(container.ready)
    expect((await container.sh(LIST)).stdout.toString()).toBe(FRESH)
    container.send(encodeInspect())
    await container.next('ready')
  })

  it('follows an exec that could not start its program', async () => {
    await using container = await Container.start()
    container.send(encodePutFile('f', Buffer.from('x')), exec({ argv: ['/none'], resets: true }))
    expect((await container.outcome()).done).toMatchObject({ spawnError: 'ENOENT' })
    expect((await container.next('reset')).reset).toEqual(CLEAN)
    await container.next('ready')
    expect((await container.sh(LIST)).stdout.toString()).toBe(FRESH)
  })

  it('copes with directories deeper than any path', async () => {
    await using container = await Container.start()
    const { stderr } = await container.perl(
      'for (1..3000) { mkdir "d" x 200 or die $!; open F, ">f$_"; chdir "d" x 200 or die $! }',
    )
    expect(stderr.toString()).toBe('')
    expect(await reset(container)).toEqual(CLEAN)
    expect((await container.sh(LIST)).stdout.toString()).toBe(FRESH)
  })

  it('copes with unreadable directories, including the mounts', async () => {
    await using container = await Container.start()
    await container.sh(
      'mkdir -p a/b/c .0 .1; touch a/f a/b/f .2 .3; chmod 0 a/b/c a/b/f a/b a .0; chmod 0 /workspace; mkdir /tmp/x; chmod 0 /tmp/x /tmp; chmod 3000 /dev/shm',
    )
    expect(await reset(container)).toEqual(CLEAN)
    expect((await container.sh(LIST)).stdout.toString()).toBe(FRESH)
  })

  it('restores the write hints of the mounts', async () => {
    await using container = await Container.start()
    // F_SET_RW_HINT and F_GET_RW_HINT; on a mount of another user the first fails.
    const hints = (value: number) => `
      for ("/workspace", "/tmp", "/dev/shm") {
        open my $root, "<", $_ or die $!;
        my $hint = pack "Q", ${value};
        fcntl $root, 1036, $hint if ${value};
        fcntl $root, 1035, $hint or die $!;
        print unpack("Q", $hint), "\\n";
      }`
    const set = await container.perl(hints(5))
    expect(set.stderr.toString()).toBe('')
    expect(set.stdout.toString()).toContain('5\n')
    expect(await reset(container)).toEqual(CLEAN)
    expect((await container.perl(hints(0))).stdout.toString()).toBe('0\n0\n0\n')
  })

  it('restores flags, attributes and times of the mounts', async () => {
    await using container = await Container.start()
    const script = `
      for ("/workspace", "/dev/shm") {
        open my $root, "<", $_ or die $!;
        my $flags = pack "q", 0x40;
        ioctl $root, 0x40086602, $flags or die "flags: $!";
        utime 1, 2, $_ or die $!;
      }`
    const look = `
      for ("/workspace", "/dev/shm") {
        open my $root, "<", $_ or die $!;
        my $flags = pack "q", 0;
        ioctl $root, 0x80086601, $flags or die "flags: $!";
        print unpack("i", $flags) & 0x40, (stat)[8] > 2, (stat)[9] > 2, "\n";
      }`
    const { stderr } = await container.perl(script)
    expect(stderr.toString()).toBe('')
    expect(await reset(container)).toEqual(CLEAN)
    expect((await container.perl(look)).stdout.toString()).toBe('011\n011\n')
  })

  it('copes with thousands of files and directories side by side', async () => {
    await using container = await Container.start()
    await container.perl('for (1..20000) { open F, ">f$_"; mkdir "d$_"; mkdir "d$_/e"; }')
    expect(await reset(container)).toEqual(CLEAN)
    expect((await container.sh(LIST)).stdout.toString()).toBe(FRESH)
  })

  it('ends the current run, which is reported first', async () => {
    await using container = await Container.start()
    container.send(exec({ argv: ['bash', '-c', 'echo x > f; (setsid sleep 1000 &); sleep 1000'] }))
    await container.next('started')
    container.send(encodeReset(), exec({ argv: ['bash', '-c', LIST] }))
    expect((await container.outcome()).done).toMatchObject({ killed: true })
    expect((await container.next('reset')).reset).toEqual(CLEAN)
    expect((await container.outcome()).stdout.toString()).toBe(FRESH)
  })

  it('removes System V objects and message queues', async () => {
    await using container = await Container.start()
    const script =
      'use IPC::SysV qw(IPC_PRIVATE IPC_CREAT); use IPC::Msg; use IPC::Semaphore; shmget(IPC_PRIVATE, 4096, 0600) // die; semget(IPC_PRIVATE, 2, 0600) // die; msgget(IPC_PRIVATE, 0600) // die for 1..3'
    const made = await container.perl(script)
    expect(made.stderr.toString()).toBe('')
    await container.sh('touch /dev/mqueue/queue')
    const count = 'cat /proc/sysvipc/* | wc -l; ls /dev/mqueue'
    expect((await container.sh(count)).stdout.toString()).toBe('8\nqueue\n')
    expect(await reset(container)).toEqual(CLEAN)
    expect((await container.sh(count)).stdout.toString()).toBe('3\n')
  })

  it('can be repeated, and is clean without a run', async () => {
    await using container = await Container.start()
    for (let turn = 0; turn < 50; turn++) expect(await reset(container)).toEqual(CLEAN)
  })

  it('waits for files that only an unread message holds', async () => {
    await using container = await Container.start()
    const script = `
      use Socket; use IO::Handle;
      my $sendmsg = qx(uname -m) =~ /x86_64/ ? 46 : 211;
      socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, 0) or die $!;
      open my $file, "+>", "/tmp/held" or die $!; print $file "x" x (8 << 20); $file->flush; unlink "/tmp/held";
      # A message that carries its own receiver and the file: nobody is left who could take it.
      for my $one ($a, $b, $file) {
        my $rights = pack("QiiiI", 20, SOL_SOCKET, 1, fileno $one, 0);
        my $byte = "x"; my $vector = pack("PQ", $byte, 1);
        my $header = pack("QIx4PQPQix4", 0, 0, $vector, 1, $rights, 20, 0);
        syscall($sendmsg, fileno $a, $header, 0) >= 0 or die "sendmsg: $!";
      }`
    const { stderr } = await container.perl(script)
    expect(stderr.toString()).toBe('')
    expect(await reset(container)).toEqual(CLEAN)
    const left = await container.sh('df --output=used /tmp | tail -1; head -1 /proc/net/sockstat')
    expect(left.stdout.toString()).toMatch(/^ *0\nsockets: used [01]\n$/)
  })

  it('is not clean while an ended connection still occupies a port', async () => {
    await using container = await Container.start()
    const script = `
      use IO::Socket::INET;
      my $listener = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1", LocalPort => 4000) or die $!;
      my $client = IO::Socket::INET->new(PeerAddr => "127.0.0.1:4000") or die $!;
      my $server = $listener->accept; close $server; close $client`
    const { stderr } = await container.perl(script)
    expect(stderr.toString()).toBe('')
    expect(await reset(container)).toEqual({ clean: false, reason: 'sockets' })
  })

  it('is clean after listeners and connections that were never closed', async () => {
    await using container = await Container.start()
    const script = `
      use IO::Socket::INET; use IO::Socket::UNIX;
      my $listener = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1", LocalPort => 4000) or die $!;
      my $datagrams = IO::Socket::INET->new(Proto => "udp", LocalPort => 4000) or die $!;
      my $named = IO::Socket::UNIX->new(Local => "\\0name", Listen => 1) or die $!;
      sleep 1000 unless fork; sleep 0.2`
    const { stderr } = await container.perl(script)
    expect(stderr.toString()).toBe('')
    expect(await reset(container)).toEqual(CLEAN)
    expect(
      (await container.sh('cat /proc/net/tcp /proc/net/udp /proc/net/unix | wc -l')).stdout.toString(),
    ).toBe('3\n')
  })
})

import { expect, it } from 'vitest'
import { Container, describeInit } from './container.ts'

/** Numbers of system calls, by Node's name of the architecture. */
const CALLS = {
  x64: {
    ptrace: 101,
    setpriority: 141,
    sched_setscheduler: 144,
    sched_setaffinity: 203,
    ioprio_set: 251,
    prlimit64: 302,
    process_vm_readv: 310,
    kcmp: 312,
    socket: 41,
    socketpair: 53,
    mmap: 9,
    memfd_create: 319,
    shmget: 29,
    prctl: 157,
    seccomp: 317,
    add_key: 248,
    mq_open: 240,
    kill: 62,
    tgkill: 234,
    pidfd_open: 434,
    mknodat: 259,
    syslog: 103,
    fcntl: 72,
    ioctl: 16,
    setsockopt: 54,
    pidfd_send_signal: 424,
    fadvise64: 221,
    madvise: 28,
    openat: 257,
  },
  arm64: {
    ptrace: 117,
    setpriority: 140,
    sched_setscheduler: 119,
    sched_setaffinity: 122,
    ioprio_set: 30,
    prlimit64: 261,
    process_vm_readv: 270,
    kcmp: 272,
    socket: 198,
    socketpair: 199,
    mmap: 222,
    memfd_create: 279,
    shmget: 194,
    prctl: 167,
    seccomp: 277,
    add_key: 217,
    mq_open: 180,
    kill: 129,
    tgkill: 131,
    pidfd_open: 434,
    mknodat: 33,
    syslog: 116,
    fcntl: 25,
    ioctl: 29,
    setsockopt: 208,
    pidfd_send_signal: 424,
    fadvise64: 223,
    madvise: 233,
    openat: 56,
  },
}
const calls = process.arch === 'arm64' ? CALLS.arm64 : CALLS.x64
const EPERM = '1'
const EBADF = '9'
const EINVAL = '22'
const ENOTTY = '25'
const O_DIRECT = process.arch === 'arm64' ? '0200000' : '040000'
const ENOMEM = '12'
const ENOPROTOOPT = '92'
const EAFNOSUPPORT = '97'

/** A Perl program that prints the errno of one system call, or 0 if the call succeeds. */
const call = (number: number, ...args: readonly string[]) =>
  `my $name = "queue"; my $room = "\\0" x 64; my $r = syscall(${[number, ...args].join(', ')}); print $r < 0 ? 0 + $! : 0`

describeInit('the filter of a program', () => {
  it('protects memory, descriptors and links of init', async () => {
    await using container = await Container.start()
    for (const path of [
      'mem',
      'fd/0',
      'fd/1',
      'exe',
      'cwd/etc',
      'root/etc',
      'environ',
      'maps',
      'map_files',
      'auxv',
      'io',
      'task/1/mem',
    ]) {
      const read = await container.sh(`ls -L /proc/1/${path} && head -c1 /proc/1/${path}`)
      expect(read.stdout.toString() === '' || read.stderr.toString().includes('denied'), path).toBe(true)
      const write = await container.sh(`exec 3>/proc/1/${path}`)
      expect(write.done.exitCode, path).not.toBe(0)
    }
    expect((await container.sh('ls /proc/1/fd')).stdout.toString()).toBe('')
    expect((await container.sh('echo 1000 > /proc/1/oom_score_adj')).done.exitCode).toBe(1)
  })

  it('lets no signal reach init', async () => {
    await using container = await Container.start()
    await container.perl('kill $_, 1 for 1..64; kill 9, -1; sleep 1')
    expect(
      (await container.sh('kill -9 1; kill -STOP 1; kill -TERM 1; kill -CHLD 1; exit 9')).done.exitCode,
    ).toBe(9)
  })

  it('refuses calls on other processes', async () => {
    await using container = await Container.start()
    for (const [name, args] of [
      ['ptrace', ['16', '1', '0', '0']],
      ['process_vm_readv', ['1', '0', '0', '0', '0', '0']],
      ['kill', ['1', '0']],
      ['tgkill', ['1', '1', '9']],
      ['pidfd_open', ['1', '0']],
      ['kcmp', ['1', '0 + $$', '0', '0', '0']],
      ['prlimit64', ['1', '7', '0', '$room']],
      ['prlimit64', ['0 + $$', '7', '0', '$room']],
      ['setpriority', ['0', '1', '19']],
      ['setpriority', ['1', '0', '19']],
      ['setpriority', ['2', '0', '19']],
      ['sched_setaffinity', ['1', '8', '$room']],
      ['sched_setscheduler', ['1', '3', '$room']],
      ['sched_setscheduler', ['1', '0x40000000', '$room']],
      ['ioprio_set', ['1', '1', '0']],
      ['ioprio_set', ['3', '0', '0']],
      ['add_key', ['$room', '$room', '0', '0', '0']],
      ['mknodat', ['-100', '$name', String(0o020600), '0']],
      ['mknodat', ['-100', '$name', String(0o060600), '0x801']],
      ['syslog', ['10', '0', '0']],
      ['fcntl', ['0', '8', '1']],
      ['fcntl', ['0', '15', '$room']],
      ['ioctl', ['0', '0x8901', '$room']],
      ['ioctl', ['0', '0x8902', '$room']],
      ['pidfd_send_signal', ['0', '0', '0', '0']],
      ['setsockopt', ['0', '41', '32', '$room', '32']],
    ] as const) {
      const { stdout } = await container.perl(call(calls[name], ...args))
      expect(stdout.toString(), `${name}(${args})`).toBe(EPERM)
    }
  })

  it('allows the same calls on the caller itself', async () => {
    await using container = await Container.start()
    for (const [name, args] of [
      ['prlimit64', ['0', '7', '0', '$room']],
      ['kill', ['0 + $$', '0']],
      ['pidfd_open', ['0 + $$', '0']],
      ['setpriority', ['0', '0', '5']],
      ['ioprio_set', ['1', '0', '0']],
      ['sched_setscheduler', ['0', '3', '$room']],
      // Sets only the default policy, so it is allowed for any process.
      ['sched_setscheduler', ['0 + $$', '0', '$room']],
      ['sched_setscheduler', ['1', '0', '$room']],
      ['socket', ['1', '1', '0']],
      ['mknodat', ['-100', '$name', String(0o010600), '0']],
      ['fcntl', ['0', '1', '0']],
    ] as const) {
      const { stdout } = await container.perl(call(calls[name], ...args))
      expect(stdout.toString(), `${name}(${args})`).toBe('0')
    }
  })

  it('hides where a file is on the host’s disk', async () => {
    await using container = await Container.start()
    const requests = {
      FS_IOC_GETFSUUID: '0x80111500',
      FS_IOC_GETFSSYSFSPATH: '0x80811501',
      EXT4_IOC_GETFSUUID: '0x8008662c',
      FS_IOC_FIEMAP: '0xc020660b',
    }
    for (const [name, request] of Object.entries(requests)) {
      const { stdout } = await container.perl(
        `open my $file, '<', $^X; ${call(calls.ioctl, 'fileno $file', request, '$room')}`,
      )
      expect(stdout.toString(), name).toBe(ENOTTY)
    }
    // FIONREAD, the number of readable bytes, is allowed: many programs ask for it.
    expect((await container.perl(call(calls.ioctl, '0', '0x541b', '$room'))).stdout.toString()).toBe('0')
  })

  it('refuses to drop file pages from memory and to bypass them', async () => {
    await using container = await Container.start()
    for (const [name, args, errno] of [
      // The descriptor is invalid: an allowed call fails with EBADF, as the harmless advice shows.
      ['fadvise64', ['-1', '0', '0', '4'], '0'],
      ['fadvise64', ['-1', '0', '0', '3'], EBADF],
      // MADV_COLD, MADV_PAGEOUT, MADV_MERGEABLE, and MADV_DONTNEED. A length of 0 is harmless; the kernel itself would allow it.
      ['madvise', ['0', '0', '20'], EINVAL],
      ['madvise', ['0', '0', '21'], EINVAL],
      ['madvise', ['0', '0', '12'], EINVAL],
      ['madvise', ['0', '0', '4'], '0'],
      ['openat', ['-100', '"$^X"', O_DIRECT], EINVAL],
      ['openat', ['-100', '"$^X"', '0'], '0'],
      ['fcntl', ['0', '4', O_DIRECT], EINVAL],
      ['fcntl', ['0', '4', '0'], '0'],
    ] as const) {
      const { stdout } = await container.perl(call(calls[name], ...args))
      expect(stdout.toString(), `${name}(${args})`).toBe(errno)
    }
  })

  it('refuses further filters, which take memory from one pool of the host', async () => {
    await using container = await Container.start()
    // A filter with one instruction: allow.
    const filter =
      'my $code = pack("SCCL", 6, 0, 0, 0x7fff0000); my $p = pack("Sx6P", 1, $code); my $action = pack("L", 0x7fff0000);'
    const refused = async (number: number, ...args: readonly string[]) =>
      (await container.perl(`${filter} ${call(number, ...args)}`)).stdout.toString()
    expect(await refused(calls.prctl, '22', '2', '$p')).toBe(EPERM)
    expect(await refused(calls.seccomp, '1', '0', '$p')).toBe(EPERM)
    expect(await refused(calls.seccomp, '0', '0', '0')).toBe(EPERM)
    // Queries are allowed.
    expect(await refused(calls.seccomp, '2', '0', '$action')).toBe('0')
    const { stdout } = await container.perl(`print syscall(${calls.prctl}, 21, 0, 0, 0, 0)`)
    expect(stdout.toString()).toBe('2')
  })

  it('allows only the socket families that programs need', async () => {
    await using container = await Container.start()
    const made = async (name: 'socket' | 'socketpair', ...args: readonly string[]) =>
      (await container.perl(call(calls[name], ...args))).stdout.toString()
    for (const family of ['1', '2', '10']) expect(await made('socket', family, '2', '0'), family).toBe('0')
    expect(await made('socketpair', '1', '1', '0', '$room')).toBe('0')
    expect(await made('socketpair', '16', '3', '0', '$room')).toBe(EAFNOSUPPORT)
    for (const family of ['0', '3', '15', '16', '17', '21', '29', '30', '38', '40', '44', '45', '1000']) {
      expect(await made('socket', family, '2', '0'), family).toBe(EAFNOSUPPORT)
    }
  })

  it('refuses huge pages, which no limit counts', async () => {
    await using container = await Container.start()
    const tried = async (name: 'mmap' | 'memfd_create' | 'shmget', ...args: readonly string[]) =>
      (await container.perl(call(calls[name], ...args))).stdout.toString()
    expect(await tried('mmap', '0', '0x200000', '3', '0x40022', '-1', '0')).toBe(ENOMEM)
    expect(await tried('mmap', '0', '0x200000', '3', '0x22', '-1', '0')).toBe('0')
    expect(await tried('memfd_create', '$name', '4')).toBe(ENOMEM)
    expect(await tried('memfd_create', '$name', '0')).toBe('0')
    expect(await tried('shmget', '0', '0x200000', '05600')).toBe(ENOMEM)
    expect(await tried('shmget', '0', '4096', '0600')).toBe('0')
  })

  it('allows only the socket options that programs need', async () => {
    await using container = await Container.start()
    const set = async (
      family: number,
      kind: number,
      level: number,
      option: number,
      value = 'pack("i", 1)',
    ) => {
      const make = `socket(my $s, ${family}, ${kind}, 0) or die`
      const script = `${make}; print setsockopt($s, ${level}, ${option}, ${value}) ? 0 : 0 + $!`
      return (await container.perl(script)).stdout.toString()
    }
    // Each option that attaches a classic filter, here of one instruction; then the one that locks it.
    const filter = 'do { our $code = pack("SCCL", 6, 0, 0, 0xffff); pack("Sx6P", 1, $code) }'
    for (const option of [26, 50, 51, 52]) expect(await set(2, 2, 1, option, filter), `${option}`).toBe(EPERM)
    expect(await set(2, 2, 1, 44)).toBe(EPERM)
    // SO_REUSEADDR, KEEPALIVE, REUSEPORT, RCVBUF, LINGER, RCVTIMEO, BROADCAST and PASSCRED; TCP_NODELAY and KEEPIDLE; IP_TTL and
    // IP_MULTICAST_LOOP; IPV6_V6ONLY.
    const useful: [family: number, kind: number, level: number, option: number, value?: string][] = [
      [2, 1, 1, 2],
      [2, 1, 1, 9],
      [2, 1, 1, 15],
      [2, 1, 1, 8, 'pack("i", 65536)'],
      [2, 1, 1, 13, 'pack("ii", 1, 1)'],
      [2, 1, 1, 20, 'pack("qq", 1, 0)'],
      [2, 2, 1, 6],
      [1, 1, 1, 16],
      [2, 1, 6, 1],
      [2, 1, 6, 4, 'pack("i", 60)'],
      [2, 2, 0, 2],
      [2, 2, 0, 34],
      [10, 1, 41, 26],
    ]
    for (const option of useful) expect(await set(...option), option.join()).toBe('0')
    const unknown: typeof useful = [
      // Multicast groups of IPv4 and IPv6; TCP_ULP, which loads a module; TCP_MD5SIG, which sets a key; an unknown option; an
      // unknown level; an option of iptables.
      [2, 2, 0, 35, 'pack("C8", 224, 0, 0, 9, 127, 0, 0, 1)'],
      [10, 2, 41, 20, 'pack("x20")'],
      [2, 1, 6, 31, '"tls"'],
      [2, 1, 6, 14, 'pack("x216")'],
      [2, 1, 1, 1000],
      [2, 1, 1000, 1],
      [2, 2, 0, 64],
    ]
    for (const option of unknown) expect(await set(...option), option.join()).toBe(ENOPROTOOPT)
  })

  it('refuses calls by x32 numbers', async (context) => {
    context.skip(process.arch !== 'x64', 'only x86-64 has x32 calls')

    await using container = await Container.start()
    const { stdout } = await container.perl(call(0x4000_0000 + 521, '1', '0', '0', '0'))
    expect(stdout.toString()).toBe(EPERM)
  })

  it('refuses message queues that are not mounted, and allows others', async () => {
    const open = call(calls.mq_open, '$name', '66', '384', '0')
    await using hidden = await Container.start({ withoutMessageQueues: true })
    expect((await hidden.perl(open)).stdout.toString()).toBe(EPERM)
    await using shown = await Container.start()
    expect((await shown.perl(open)).stdout.toString()).toBe('0')
  })
})

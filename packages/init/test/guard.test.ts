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
const O_DIRECT = process.arch === 'arm64' ? '0200000' : '040000'

/** A Perl program that prints the errno of one system call, 0 when it succeeded. */
const call = (number: number, ...args: readonly string[]) =>
  `my $name = "queue"; my $room = "\\0" x 64; my $r = syscall(${[number, ...args].join(', ')}); print $r < 0 ? 0 + $! : 0`

describeInit('init keeps itself from the program', () => {
  it('its memory, descriptors and links cannot be opened', async () => {
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

  it('no signal reaches it', async () => {
    await using container = await Container.start()
    await container.perl('kill $_, 1 for 1..64; kill 9, -1; sleep 1')
    expect(
      (await container.sh('kill -9 1; kill -STOP 1; kill -TERM 1; kill -CHLD 1; exit 9')).done.exitCode,
    ).toBe(9)
  })

  it('calls that reach other processes are refused', async () => {
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
      ['socket', ['40', '1', '0']],
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

  it('the same calls on oneself are allowed', async () => {
    await using container = await Container.start()
    for (const [name, args] of [
      ['prlimit64', ['0', '7', '0', '$room']],
      ['kill', ['0 + $$', '0']],
      ['pidfd_open', ['0 + $$', '0']],
      ['setpriority', ['0', '0', '5']],
      ['ioprio_set', ['1', '0', '0']],
      ['sched_setscheduler', ['0', '3', '$room']],
      // Of whomever, as it is what all have.
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

  it('pages of a file are neither dropped from memory nor read past it', async () => {
    await using container = await Container.start()
    for (const [name, args, errno] of [
      // Of no file: with the call itself it would be EBADF, as another advice shows.
      ['fadvise64', ['-1', '0', '0', '4'], '0'],
      ['fadvise64', ['-1', '0', '0', '3'], EBADF],
      // Of no page: harmless, and what the kernel grants.
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

  it.runIf(process.arch === 'x64')('calls by the x32 numbers are refused', async () => {
    await using container = await Container.start()
    const { stdout } = await container.perl(call(0x4000_0000 + 521, '1', '0', '0', '0'))
    expect(stdout.toString()).toBe(EPERM)
  })

  it('message queues that no directory shows are refused, others not', async () => {
    const open = call(calls.mq_open, '$name', '66', '384', '0')
    await using hidden = await Container.start({ withoutMessageQueues: true })
    expect((await hidden.perl(open)).stdout.toString()).toBe(EPERM)
    await using shown = await Container.start()
    expect((await shown.perl(open)).stdout.toString()).toBe('0')
  })
})

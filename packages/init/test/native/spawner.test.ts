import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { SpawnerProcess } from './spawner-process.ts'

/** A seccomp program of one instruction. */
const ALLOWS_ALL = [6, 0, 0, 0, 0, 0, 0xff, 0x7f]
const directory = mkdtempSync(join(tmpdir(), 'isopod-filters-'))
chmodSync(directory, 0o755)

/** A file with a seccomp program. */
function filter(program: readonly number[]): string {
  const path = join(directory, program.join('-'))
  writeFileSync(path, Buffer.from(program))
  return path
}

afterAll(() => rmSync(directory, { recursive: true }))

beforeEach((context) => context.skip(process.platform !== 'linux', 'the spawner runs on Linux only'))

describe('a request', () => {
  it('becomes its program, whose stdin and stdout are the connection', async () => {
    await using spawner = await SpawnerProcess.start()
    const made = spawner.shell('echo ready; cat')
    await made.spoke
    made.socket.end('hello')
    expect(await made.output).toBe('ready\nhello')
    expect(await spawner.ended(made)).toBe('exit 0')
  })

  it('may come in pieces of one byte', async () => {
    await using spawner = await SpawnerProcess.start()
    const made = spawner.connect([])
    for (const byte of 'limit\x007\x0064\x00--\0/bin/sh\0-c\0ulimit -n\0\0') {
      made.socket.write(byte)
      await nextTurn()
    }
    expect(await made.output).toBe('64\n')
  })

  it('inherits no descriptor of its neighbours or of the spawner', async () => {
    await using spawner = await SpawnerProcess.start()
    const neighbours = Array.from({ length: 3 }, () => spawner.shell('echo ready; exec sleep 100'))
    await Promise.all(neighbours.map(({ spoke }) => spoke))
    // 3 is the directory that ls itself reads.
    expect((await spawner.connect(['--', '/bin/ls', '/proc/self/fd', '']).output).split('\n')).toEqual([
      ...['0', '1', '2', '3', ''],
    ])
  })

  it.each([
    ['cannot understand mount: Invalid argument', ['mount', '/', '--']],
    ['cannot read a request: Message too long', ['x'.repeat(70_000)]],
    ['cannot start /bin/true: Argument list too long', ['--', '/bin/true', ...Array(1100).fill('x'), '']],
    ['cannot start /nowhere: No such file or directory', ['--', '/nowhere', '']],
    ['cannot end a request: Protocol error', ['--', '']],
    ['cannot end a request: Protocol error', ['--', '/bin/cat', '', 'too early']],
    ['cannot write /nowhere/cgroup.procs: No such file or directory', ['cgroup', '/nowhere/cgroup.procs']],
    ['cannot read /nowhere: No such file or directory', ['filter', '/nowhere']],
    ['cannot read /etc/hostname: Invalid argument', ['filter', '/etc/hostname']],
    ['cannot read the number many: Invalid argument', ['limit', '7', 'many']],
    ['cannot read the number -1: Invalid argument', ['user', '-1', '5']],
    ['cannot become user 4294967295: Numerical result out of range', ['user', '5', '4294967295']],
    ['cannot become user 4294967296: Numerical result out of range', ['user', '4294967296', '5']],
  ])('ends with code 70 and the reason if a step fails: %s', async (reason, words) => {
    await using spawner = await SpawnerProcess.start()
    expect(await spawner.ended(spawner.connect(words))).toBe(`exit 70 ${reason}`)
    expect(spawner.children()).toEqual([])
  })

  it('has mounts and a network of its own, and the user that it names', async (context) => {
    context.skip(process.getuid?.() !== 0, 'mounts need root')
    await using spawner = await SpawnerProcess.start({ through: ['setpriv', '--groups', '27'] })
    const steps = [
      'unshare',
      'mount,network',
      'tmpfs',
      '/mnt',
      'size=64k',
      'noexec',
      'directory',
      '/mnt/own',
      'user',
      '1234',
      '5678',
    ]
    const made = spawner.shell(
      'ls /mnt; id -u; id -g; id -G; tail -n +3 /proc/net/dev | cut -d: -f1',
      ...steps,
    )
    expect((await made.output).split(/\s+/)).toEqual(['own', '1234', '5678', '5678', 'lo', ''])
    expect(statSync('/mnt').dev).toBe(statSync('/').dev)
  })

  it('has devices of its own, which every user may use', async (context) => {
    context.skip(process.getuid?.() !== 0, 'making devices needs root')
    await using spawner = await SpawnerProcess.start()
    const steps = ['unshare', 'mount', ...['tmpfs', '/mnt', 'size=64k', 'noexec,device']]
    const devices = ['null', 'full'].flatMap((name) => ['device', `/dev/${name}`, `/mnt/${name}`])
    const user = ['user', '1234', '5678']
    const script =
      'stat -c "%F %a %t,%T %d" /mnt/null; echo gone > /mnt/null; echo much > /mnt/full || echo full'
    const made = spawner.shell(`exec 2>&1; ${script}`, ...steps, ...devices, ...user)
    const output = await made.output
    expect(output).toMatch(/^character special file 666 1,3 \d+\n/)
    expect(output).toMatch(/\nfull\n$/)
    expect(output).not.toContain(` ${statSync('/dev/null').dev}\n`)
  })

  it.for([
    ['root', undefined],
    ['a user without rights', { uid: 1234, gid: 5678 }],
  ] as const)(
    'has a root and all namespaces of its own, and no power in them, if the worker is %s',
    async ([, as], context) => {
      context.skip(process.getuid?.() !== 0, 'only root can be both')
      await using spawner = await SpawnerProcess.start({ as })
      const script = `echo *; hostname; cd /proc; echo [0-9]*; tr -s ' ' < self/uid_map
      cut -d' ' -f2 self/mounts | sort; grep -E '^(Cap|NoNewPrivs|Seccomp:)' self/status; wc -c < 1/environ`
      const made = spawner.connect([
        ...['unshare', 'mount,network,ipc,uts,cgroup', 'filter', filter(ALLOWS_ALL)],
        ...['tmpfs', '/mnt', 'size=64k', '', 'directory', '/mnt/usr', 'bind', '/usr', '/mnt/usr', 'readonly'],
        ...['bin', 'lib', 'lib64'].flatMap((name) => ['link', `usr/${name}`, `/mnt/${name}`]),
        ...['directory', '/mnt/proc', 'proc', '/mnt/proc', 'hostname', 'elsewhere'],
        ...['root', '/mnt', 'user', '1234', '5678', 'unshare', 'user', 'drop-capabilities'],
        ...['--', '/bin/sh', '-c', `PATH=/bin; ${script}`, ''],
      ])
      const [files, host, processes, users, ...others] = (await made.output).trim().split('\n')
      expect([files, host, users]).toEqual(['bin lib lib64 proc usr', 'elsewhere', ' 1234 1234 1'])
      expect(processes).toBe('1')
      expect(others).toEqual([
        ...['/', '/proc', '/usr'],
        ...['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => `${name}:\t0000000000000000`),
        // Its environment has no byte.
        ...['NoNewPrivs:\t1', 'Seccomp:\t2', '0'],
      ])
    },
  )

  it('is not started with a filter that the kernel refuses', async () => {
    await using spawner = await SpawnerProcess.start()
    const made = spawner.connect(['filter', filter([0xff, ...ALLOWS_ALL.slice(1)]), '--', '/bin/true', ''])
    expect(await spawner.ended(made)).toBe('exit 70 cannot install the filter: Invalid argument')
  })

  it('sees no mounts of the host but those of the paths that it needs', async (context) => {
    context.skip(process.getuid?.() !== 0, 'mounts need root')
    const setUp = 'mount -t tmpfs one /mnt && mkdir /mnt/a /mnt/b && mount -t tmpfs two /mnt/a'
    const further = 'mount -t tmpfs three /mnt/b && mkdir /mnt/a/c && mount -t tmpfs four /mnt/a/c'
    const through = ['unshare', '--mount', 'sh', '-c', `${setUp} && ${further} && exec "$0" "$@"`]
    const needs = ['/usr', '/proc', '/mnt/a', tmpdir()]
    await using spawner = await SpawnerProcess.start({ through, needs })
    const seen = (await spawner.shell('cat /proc/self/mounts').output).split('\n')
    const points = seen.map((line) => line.split(' ')[1] ?? '')
    expect(points).toEqual(expect.arrayContaining(['/', '/proc', '/mnt', '/mnt/a', '/mnt/a/c']))
    expect(points).not.toContain('/mnt/b')
    expect(points.filter((point) => point.startsWith('/dev') || point.startsWith('/sys'))).toEqual([])
  })

  it('leaves no process if the worker closes the connection before the steps, or within one', async () => {
    await using spawner = await SpawnerProcess.start()
    for (const words of [[], ['cgroup'], ['--', '/bin/echo']]) {
      const made = spawner.connect(words)
      made.socket.end()
      expect(await spawner.ended(made)).toBe('exit 0')
    }
    expect(spawner.children()).toEqual([])
  })

  it.each([
    ['too short', 'a'.repeat(63)],
    ['too long', 'a'.repeat(65)],
    ['not hexadecimal', `${'a'.repeat(63)}\n`],
    ['two words', `${'a'.repeat(31)}\0${'a'.repeat(32)}`],
  ])('is refused if its id is %s, and the next one is served', async (_, id) => {
    await using spawner = await SpawnerProcess.start()
    expect(await spawner.connect(['--', '/bin/echo', 'hi', ''], id).output).toBe('')
    expect(await spawner.connect(['--', '/bin/echo', 'hi', '']).output).toBe('hi\n')
    expect(spawner.lines.filter((line) => line.includes('aaa'))).toEqual([])
  })

  it('tells what its program wrote to stderr in one line of printable text, cut off', async () => {
    await using spawner = await SpawnerProcess.start()
    const forged = spawner.shell(String.raw`printf 'bad\nended \033 é' >&2; exit 3`)
    expect(await spawner.ended(forged)).toBe('exit 3 bad ended      '.trim())
    const long = spawner.shell('head -c 100000 /dev/zero | tr "\\0" x >&2')
    expect(await spawner.ended(long)).toBe(`exit 0 ${'x'.repeat(800)}`)
  })

  it('is one of 200 at the same time, of which the spawner keeps nothing', async () => {
    await using spawner = await SpawnerProcess.start()
    const before = spawner.descriptors()
    const all = Array.from({ length: 200 }, (_, index) =>
      spawner.connect(['--', '/bin/echo', String(index), '']),
    )
    expect(await Promise.all(all.map(({ output }) => output))).toEqual(all.map((_, index) => `${index}\n`))
    expect(new Set(await Promise.all(all.map((made) => spawner.ended(made))))).toEqual(new Set(['exit 0']))
    expect([spawner.descriptors(), spawner.children()]).toEqual([before, []])
  })

  it('gets an answer, and the next one a program, when the spawner has no descriptor left', async () => {
    await using spawner = await SpawnerProcess.start({ through: ['prlimit', '--nofile=40'] })
    const before = spawner.descriptors()
    const all = Array.from({ length: 20 }, () => spawner.shell('exec cat'))
    await sleep(300)
    for (const made of all) {
      spawner.command(`kill ${made.id}`)
      expect(await spawner.ended(made)).toMatch(/^(signal 9|exit 70 (Too many open files|no such sandbox))$/)
    }
    expect(await spawner.connect(['--', '/bin/echo', 'hi', '']).output).toBe('hi\n')
    await expect.poll(() => spawner.descriptors()).toBe(before)
  })
})

describe('the worker’s commands', () => {
  it('end a sandbox', async () => {
    await using spawner = await SpawnerProcess.start()
    const made = spawner.shell('echo ready; exec sleep 100')
    await made.spoke
    spawner.command(`kill ${made.id}`)
    expect(await spawner.ended(made)).toBe('signal 9')
  })

  it('reach a sandbox that has only just connected', async () => {
    await using spawner = await SpawnerProcess.start()
    // Five, of which the last waits behind the others.
    const all = Array.from({ length: 5 }, () => spawner.connect([]))
    for (const { id } of all) spawner.command(`kill ${id}`)
    for (const made of all) expect(await spawner.ended(made)).toBe('signal 9')
  })

  it('that end a sandbox that is not there are answered', async () => {
    await using spawner = await SpawnerProcess.start()
    const id = 'f'.repeat(64)
    spawner.command(`kill ${id}`)
    expect(await spawner.ended({ id })).toBe('exit 70 no such sandbox')
  })

  it('may come in pieces, and are ignored if they are none', async () => {
    await using spawner = await SpawnerProcess.start()
    const made = spawner.shell('echo ready; exec sleep 100')
    await made.spoke
    for (const text of ['', 'kill', 'kill ', 'kill x', `stop ${made.id}`, 'x'.repeat(4095), '\0'])
      spawner.command(text)
    for (const piece of `kill ${made.id}\n`) {
      spawner.process.stdin?.write(piece)
      await nextTurn()
    }
    expect(await spawner.ended(made)).toBe('signal 9')
    expect(spawner.lines).toHaveLength(2)
  })
})

describe('the spawner', () => {
  it('lets only its own user connect', async () => {
    await using spawner = await SpawnerProcess.start()
    expect(statSync(spawner.socket).mode & 0o077).toBe(0)
  })

  it('takes the place of a socket that an earlier one left', async () => {
    await using earlier = await SpawnerProcess.start()
    earlier.process.kill('SIGKILL')
    await earlier.exited
    expect(earlier.isListening).toBe(true)
    const again = await SpawnerProcess.start({ at: earlier.socket })
    await again[Symbol.asyncDispose]()
    expect(again.isListening).toBe(false)
  })

  it('leaves signals to the worker, but its sandboxes take them', async () => {
    await using spawner = await SpawnerProcess.start()
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) spawner.process.kill(signal)
    const made = spawner.shell(
      'grep -E "^Sig(Blk|Ign):" /proc/self/status; sh -c "kill \\$\\$; echo survived"',
    )
    expect((await made.output).split(/\s+/)).toEqual([
      'SigBlk:',
      '0000000000000000',
      'SigIgn:',
      '0000000000000000',
      '',
    ])
    expect(spawner.isListening).toBe(true)
  })

  it('ends with its stdin, removes its socket, and ends what still runs', async () => {
    await using spawner = await SpawnerProcess.start()
    const running = spawner.shell('echo ready; exec sleep 100')
    await running.spoke
    const waiting = spawner.connect([])
    await expect.poll(() => spawner.children().length).toBe(2)
    spawner.process.stdin?.end()
    expect(await spawner.exited).toBe(0)
    expect(spawner.isListening).toBe(false)
    expect([await running.output, await waiting.output]).toEqual(['ready\n', ''])
  })
})

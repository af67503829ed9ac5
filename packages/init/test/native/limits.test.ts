import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { encodePutFile, encodeReset } from '../../src/encode.ts'
import { Container, describeInit } from './container.ts'

const MIB = 1024 * 1024
const CGROUP = '/sys/fs/cgroup'
const cleanups: (() => void)[] = []
afterAll(() => {
  for (const cleanup of cleanups.reverse()) cleanup()
})

/** Writes plain files that look like /sys/fs/cgroup. */
function written(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'isopod-cgroup-'))
  cleanups.push(() => rmSync(root, { recursive: true }))
  chmodSync(root, 0o755)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

/** Control groups with these limits in this kernel's v1 hierarchy; undefined if the kernel has none. */
function realGroups(name: string, limits: Record<string, string>): string[] | undefined {
  const groups = ['memory', 'cpu', 'cpuacct', 'pids'].map((controller) => join(CGROUP, controller, name))
  try {
    for (const group of groups) {
      mkdirSync(group)
      cleanups.push(() => rmdirSync(group))
    }
    for (const [file, value] of Object.entries(limits)) {
      writeFileSync(join(CGROUP, dirname(file), name, file.slice(file.indexOf('/') + 1)), value)
    }
    return groups
  } catch (error) {
    console.warn(`no control groups: ${String(error)}`)
    return undefined
  }
}

/** How long the kernel has throttled a control group. */
function throttledMsOf(group: string): number {
  const stat = readFileSync(join(CGROUP, 'cpu', group, 'cpu.stat'), 'utf8')
  return Number(/^throttled_time (\d+)$/m.exec(stat)?.[1]) / 1e6
}

const V2 = {
  'cgroup.controllers': 'cpu memory pids\n',
  'memory.max': '268435456\n',
  'memory.swap.max': '0\n',
  'cpu.max': '50000 100000\n',
  'pids.max': '101\n',
  'memory.current': '1000\n',
  'memory.peak': '5000\n',
  'memory.events': 'low 0\nhigh 0\nmax 9\noom 2\noom_kill 3\noom_group_kill 0\n',
  'cpu.stat':
    'usage_usec 5000\nuser_usec 3000\nsystem_usec 2000\nnr_periods 1\nnr_throttled 0\nthrottled_usec 70\n',
  'pids.current': '4\n',
  'pids.peak': '9\n',
  'pids.events': 'max 6\n',
}

describeInit('the limits that init reads back', () => {
  it('come from a cgroup v2', async () => {
    await using container = await Container.start({ cgroup: written(V2) })
    expect(container.ready).toMatchObject({
      cgroup: 2,
      memoryBytes: 268435456,
      memorySwapBytes: 268435456,
      cpuQuotaUs: 50000,
      cpuPeriodUs: 100000,
      pidsMax: 101,
    })
    const { done } = await container.sh('sleep 1')
    // The files never change, so all counters of the run are 0.
    expect(done).toMatchObject({
      cpuUserMs: 0,
      oomKills: 0,
      forkFailures: 0,
      throttledMs: 0,
      memoryStartBytes: 1000,
    })
    expect(done).toMatchObject({ memoryPeakBytes: 5000, processesPeak: 3 })
  })

  it('distinguish swap without a limit from swap that the kernel does not count', async () => {
    const limit = { 'memory/memory.limit_in_bytes': '268435456\n' }
    const unlimited = { 'memory/memory.memsw.limit_in_bytes': '9223372036854771712\n' }
    await using free = await Container.start({ cgroup: written({ ...limit, ...unlimited }) })
    expect(free.ready).toMatchObject({ memoryBytes: 268435456, memorySwapBytes: 0 })
    await using uncounted = await Container.start({ cgroup: written(limit) })
    expect(uncounted.ready).toMatchObject({ memoryBytes: 268435456, memorySwapBytes: null })
    await using second = await Container.start({ cgroup: written({ ...V2, 'memory.swap.max': 'max' }) })
    expect(second.ready).toMatchObject({ memoryBytes: 268435456, memorySwapBytes: 0 })
  })

  it('come from a cgroup v1', async () => {
    const files = {
      'memory/memory.limit_in_bytes': '268435456\n',
      'memory/memory.memsw.limit_in_bytes': '268435456\n',
      'cpu,cpuacct/cpu.cfs_quota_us': '25000\n',
      'cpu,cpuacct/cpu.cfs_period_us': '100000\n',
      'pids/pids.max': '33\n',
    }
    await using container = await Container.start({ cgroup: written(files) })
    expect(container.ready).toMatchObject({
      cgroup: 1,
      memoryBytes: 268435456,
      memorySwapBytes: 268435456,
      cpuQuotaUs: 25000,
      cpuPeriodUs: 100000,
      pidsMax: 33,
    })
  })

  it('are null if they are unlimited, unreadable or invalid', async () => {
    const unlimited = {
      'memory.max': 'max',
      'memory.swap.max': 'max',
      'cpu.max': 'max 100000',
      'pids.max': 'max',
    }
    const nothing = { memoryBytes: null, memorySwapBytes: null, cpuQuotaUs: null, pidsMax: null }
    await using free = await Container.start({ cgroup: written({ ...V2, ...unlimited }) })
    expect(free.ready).toMatchObject({ ...nothing, memorySwapBytes: 0, cgroup: 2, cpuPeriodUs: 100000 })
    const v1 = {
      'memory/memory.limit_in_bytes': '9223372036854771712',
      'cpu/cpu.cfs_quota_us': '-1',
      'pids/pids.max': 'max',
    }
    await using old = await Container.start({ cgroup: written(v1) })
    expect(old.ready).toMatchObject({ ...nothing, cgroup: 1, cpuPeriodUs: null })
    await using none = await Container.start()
    expect(none.ready).toMatchObject({ ...nothing, cgroup: null })
    const { done } = await none.sh('true')
    expect(done).toMatchObject({ oomKills: null, memoryPeakBytes: null, throttledMs: null, processesPeak: 1 })
    expect(done.maxRssBytes).toBeGreaterThan(100_000)
  })

  it('include the sizes of the mounts and the privileges of the process', async () => {
    await using container = await Container.start({ size: '3m' })
    expect(container.ready).toMatchObject({
      version: 1,
      workspaceBytes: 3 * MIB,
      workspaceInodes: 102400,
      tmpBytes: 3 * MIB,
      shmBytes: 3 * MIB,
      noNewPrivileges: true,
      capabilities: '0000000000000000',
      uid: 65534,
      gid: 65534,
      pid: 1,
    })
    expect(container.ready.seccomp).not.toBeNull()
    // As many filters as this process has: init installs none for itself.
    const own = /^Seccomp_filters:\t(\d+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    expect(container.ready.seccompFilters).toBe(own === undefined ? null : Number(own))
  })
})

const name = `isopod-init-test-${process.pid}`
const groups =
  process.getuid?.() === 0
    ? realGroups(name, {
        'memory/memory.limit_in_bytes': `${32 * MIB}`,
        'cpu/cpu.cfs_quota_us': '20000',
        'pids/pids.max': '20',
      })
    : undefined

describeInit('a run in a real cgroup', () => {
  const shown = () => {
    const root = written({})
    for (const controller of ['memory', 'cpu', 'cpuacct', 'pids']) mkdirSync(join(root, controller))
    return root
  }
  const start = () => Container.start({ cgroup: shown(), join: groups ?? [], bind: name })

  // While the kernel tears down a killed process it may need another victim and find only init: rarely, but on a busy host four times
  // in a row. The worker then learns from the engine what happened.
  it('reports its memory peak and OOM kills; init survives', {
    retry: 9,
  }, async (context) => {
    context.skip(groups === undefined, 'control groups of version 1 need root')

    await using container = await start()
    expect(container.ready).toMatchObject({
      cgroup: 1,
      memoryBytes: 32 * MIB,
      pidsMax: 20,
      cpuQuotaUs: 20000,
    })
    const small = await container.perl('my $x = "x" x (8 << 20); sleep 0.3')
    expect(small.done.oomKills).toBe(0)
    expect(small.done.memoryPeakBytes).toBeGreaterThan(8 * MIB)
    for (let turn = 0; turn < 2; turn++) {
      const { done } = await container.perl(
        'if (fork) { wait; exit($? & 127) } my $x = "x" x (64 << 20); sleep 9',
      )
      expect(done.oomKills).toBeGreaterThanOrEqual(1)
      expect(done.memoryPeakBytes).toBeGreaterThan(24 * MIB)
    }
    expect((await container.sh('exit 3')).done).toMatchObject({ exitCode: 3, oomKills: 0 })
  })

  it('reports refused forks and the peak of processes', async (context) => {
    context.skip(groups === undefined, 'control groups of version 1 need root')

    await using container = await start()
    const { done } = await container.perl(
      'for (1..60) { my $pid = fork; if (defined $pid && !$pid) { sleep 9; exit } } sleep 1',
    )
    expect(done.forkFailures).toBeGreaterThan(20)
    expect(done.processesPeak).toBeGreaterThanOrEqual(17)
    expect(done.processesPeak).toBeLessThanOrEqual(19)
    expect((await container.sh('exit 3')).done.exitCode).toBe(3)
  })

  it('reports CPU time and how long the quota throttled it', async (context) => {
    context.skip(groups === undefined, 'control groups of version 1 need root')

    // Far less than the share of a core that a busy machine leaves to the container.
    const quota = join(CGROUP, 'cpu', name, 'cpu.cfs_quota_us')
    writeFileSync(quota, '5000')
    try {
      await using container = await start()
      const before = throttledMsOf(name)
      const { done } = await container.perl('1 while 1', { wallMs: 2000 })
      const throttledMs = throttledMsOf(name) - before
      expect(done.limit).toBe('timeout')
      expect(done.cpuUserMs + done.cpuSysMs).toBeGreaterThan(20)
      expect(done.cpuUserMs + done.cpuSysMs).toBeLessThan(600)
      expect(throttledMs).toBeGreaterThan(0)
      expect(done.throttledMs).toBeGreaterThan(0)
      // The kernel's own counter, which includes the moments before and after the run.
      expect(done.throttledMs).toBeLessThan(throttledMs + 0.001)
    } finally {
      writeFileSync(quota, '20000')
    }
  })

  it('refuses a file that does not fit into memory', async (context) => {
    context.skip(groups === undefined, 'control groups of version 1 need root')

    await using container = await start()
    await container.perl('open F, ">/tmp/f"; print F "x" x (1 << 20) for 1..20')
    container.send(
      encodePutFile('a', Buffer.alloc(5 * MIB)),
      encodePutFile('b', Buffer.alloc(5 * MIB)),
      encodePutFile('c', Buffer.alloc(5 * MIB)),
    )
    expect((await container.next('fault')).fault).toEqual({ where: 'put', error: 'ENOMEM' })
  })

  // Init cannot rule it out without privileges: rarely the kernel kills init, and the worker discards the container.
  it('survives a program that fills memory with files and processes at once', {
    retry: 3,
  }, async (context) => {
    context.skip(groups === undefined, 'control groups of version 1 need root')

    // A full container spends its CPU time in the kernel: with a fifth of a core init would wait long for its turn.
    writeFileSync(join(CGROUP, 'cpu', name, 'cpu.cfs_quota_us'), '100000')
    await using container = await start()
    const { done } = await container.perl(
      'for (1..8) { fork } my $n = $$; my $x = ""; while (1) { $x .= "x" x 65536; open F, ">/dev/shm/$n." . $i++; print F "y" x 65536; close F }',
      { wallMs: 3000 },
    )
    expect(done.oomKills).toBeGreaterThan(0)
    // The files still fill the memory. No other run could start before a reset.
    container.send(encodeReset())
    expect((await container.next('reset')).reset.clean).toBe(true)
    expect((await container.sh('exit 3')).done.exitCode).toBe(3)
  })

  it('does not charge a run for memory of an earlier one', async (context) => {
    context.skip(groups === undefined, 'control groups of version 1 need root')

    const root = shown()
    const file = join(root, 'large')
    await using container = await Container.start({ cgroup: root, join: groups ?? [], bind: name })
    // The file is on a disk and not in the page cache, so the kernel charges the first reader for its pages.
    execFileSync('sh', [
      '-c',
      'head -c 12582912 /dev/urandom > "$0"; sync "$0"; dd if="$0" iflag=nocache count=0 status=none',
      file,
    ])
    const small = 'my $x = "x" x (1 << 20); sleep 0.3'
    const alone = (await container.perl(small)).done
    container.send(encodeReset())
    await container.next('reset')
    await container.sh('cat /sys/fs/cgroup/large > /dev/null; head -c 8000000 /dev/zero > /tmp/f; sleep 0.2')
    container.send(encodeReset())
    expect((await container.next('reset')).reset.clean).toBe(true)
    const { done } = await container.perl(small)
    expect(done.oomKills).toBe(0)
    expect(done.memoryPeakBytes).toBeLessThan((alone.memoryPeakBytes ?? 0) + 4 * MIB)
    expect(done.memoryStartBytes).toBeLessThan((alone.memoryStartBytes ?? 0) + 4 * MIB)
    expect(done.processesPeak).toBeLessThanOrEqual(1)
  })
})

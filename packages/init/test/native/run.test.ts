import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { encodeKill } from '../../src/encode.ts'
import { PROCESS_LIMITS } from '../../src/process-limits.ts'
import { signalName } from '../../src/signal.ts'
import { sampleLimits } from '../samples.ts'
import { Container, describeInit, exec } from './container.ts'

describeInit('a run of init', () => {
  it('reports each exit code unchanged', async () => {
    await using container = await Container.start()
    for (const code of [0, 1, 2, 126, 127, 128, 137, 255]) {
      const { done, started } = await container.sh(`exit ${code}`)
      expect(done).toMatchObject({
        exitCode: code,
        signal: null,
        limit: null,
        killed: false,
        spawnError: null,
      })
      expect(started?.pid).toBeGreaterThan(1)
    }
  })

  it('reports each signal that ends a program', async () => {
    await using container = await Container.start()
    for (const signal of [
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30, 31, 34, 64,
    ]) {
      const { done } = await container.perl(`$SIG{FPE} = "DEFAULT"; kill ${signal}, $$; sleep 9`)
      expect(done, signalName(signal)).toMatchObject({ exitCode: null, signal, limit: null })
    }
  })

  it('passes arguments, environment and working directory unchanged, and adds nothing', async () => {
    await using container = await Container.start()
    const { stdout } = await container.run({
      argv: [
        '/usr/bin/perl',
        '-e',
        'use Cwd; print join("|", getcwd(), @ARGV, map("$_=$ENV{$_}", sort keys %ENV))',
        '',
        'ä b',
        '$(id)',
      ],
      env: { A: 'x=y', EMPTY: '', Ü: '\n' },
      cwd: '/tmp',
    })
    expect(stdout.toString()).toBe('/tmp||ä b|$(id)|A=x=y|EMPTY=|Ü=\n')
  })

  it('reports why a program could not be started', async () => {
    await using container = await Container.start()
    await container.sh('printf "#!/nowhere\\n" > script; chmod 700 script; touch plain')
    const refused = { exitCode: 127, signal: null, wallMs: 0, stdoutBytes: 0 }
    for (const [program, error] of [
      ['no-such-program', 'ENOENT'],
      ['/no/such/program', 'ENOENT'],
      ['', 'ENOENT'],
      ['./plain', 'EACCES'],
      ['./script', 'ENOENT'],
      ['/tmp', 'EACCES'],
    ] as const) {
      const { done, started } = await container.run({ argv: [program] })
      expect(done, program).toMatchObject({ ...refused, spawnError: error })
      expect(started).toBeUndefined()
    }
    const { done } = await container.run({ argv: ['true'], cwd: '/nowhere' })
    expect(done).toMatchObject({ ...refused, spawnError: 'ENOENT' })
  })

  it.each([
    [524, 'ENOTSUPP'],
    [12, 'ENOMEM'],
  ])('says that the kernel refused to confine a program (errno %i)', async (filterErrno, error) => {
    await using container = await Container.start({ filterErrno })
    container.send(exec({ argv: ['true'] }))
    expect((await container.next('fault')).fault).toEqual({ where: 'confine', error })
  })

  it('ends at the deadline with every process of the program', async () => {
    await using container = await Container.start()
    const forkTree = 'for (1..4) { fork; setpgrp } $SIG{TERM} = $SIG{HUP} = "IGNORE"; sleep 1 while 1'
    const { done } = await container.perl(forkTree, { wallMs: 1500 })
    expect(done).toMatchObject({ signal: 9, exitCode: null, limit: 'timeout', killed: false })
    expect(done.processesPeak).toBeGreaterThan(8)
    expect(done.wallMs).toBeGreaterThanOrEqual(1500)
    expect((await container.sh('ls -d /proc/[0-9]*')).stdout.toString()).toMatch(
      /^\/proc\/1\n\/proc\/\d+\n(\/proc\/\d+\n)?$/,
    )
  })

  it('ends when its processes have used up the CPU limit', async () => {
    await using container = await Container.start()
    const { done } = await container.perl('if (fork) { wait } else { 1 while 1 }', { cpuMs: 300 })
    expect(done).toMatchObject({ limit: 'cpu', exitCode: null })
    expect(done.cpuUserMs + done.cpuSysMs).toBeGreaterThanOrEqual(290)
  })

  it('does not count waiting as CPU time', async () => {
    await using container = await Container.start()
    expect((await container.sh('sleep 0.5', { cpuMs: 300 })).done).toMatchObject({ exitCode: 0, limit: null })
  })

  it('kills background processes when the program ends', async () => {
    await using container = await Container.start()
    const { done, stdout } = await container.sh(
      'sleep 1000 & (setsid sleep 1000 &) ; setsid -f sleep 1000; echo left',
    )
    expect(done).toMatchObject({ exitCode: 0, limit: null })
    expect(stdout.toString()).toBe('left\n')
    expect((await container.sh('cat /proc/[0-9]*/comm')).stdout.toString()).not.toContain('sleep')
  })

  it('continues while a program that has closed its output still runs', async () => {
    await using container = await Container.start()
    const { done } = await container.sh('exec 0<&- >&- 2>&-; sleep 0.3; echo worked > proof; exit 7')
    expect(done.exitCode).toBe(7)
    expect((await container.sh('cat proof')).stdout.toString()).toBe('worked\n')
  })

  it('ends on a kill frame like at a deadline, and reports it', async () => {
    await using container = await Container.start()
    container.send(exec({ argv: ['sleep', '100'] }))
    await container.next('started')
    container.send(encodeKill())
    expect((await container.outcome()).done).toMatchObject({ killed: true, limit: null, signal: 9 })
  })

  it('ignores a kill frame without a run', async () => {
    await using container = await Container.start()
    container.send(encodeKill(), encodeKill())
    expect((await container.sh('exit 3')).done).toMatchObject({ exitCode: 3, killed: false })
  })

  it('refuses a second program while one runs', async () => {
    await using container = await Container.start()
    container.send(exec({ argv: ['sleep', '100'] }))
    await container.next('started')
    container.send(exec({ argv: ['true'] }))
    expect((await container.next('fault')).fault).toEqual({ where: 'exec', error: 'EBUSY' })
    container.send(encodeKill())
    expect((await container.outcome()).done.killed).toBe(true)
  })

  it('ends a program by a kill frame that was queued with its exec', async () => {
    await using container = await Container.start()
    container.process.stdout?.pause()
    // The first program's output fills every buffer, so the frames after it have to wait.
    container.send(exec({ argv: ['head', '-c', '2M', '/dev/zero'], wallMs: 300 }))
    await sleep(1500)
    container.send(Buffer.concat([exec({ argv: ['bash', '-c', 'exec >&- 2>&-; sleep 100'] }), encodeKill()]))
    await sleep(100)
    container.process.stdout?.resume()
    expect((await container.outcome()).done.limit).toBe('timeout')
    expect((await container.outcome()).done.killed).toBe(true)
  })

  it('samples a long run about ten times a second', async () => {
    await using container = await Container.start()
    const { samples } = await container.sh('sleep 0.65')
    const times = samples.map((sample) => sample.wallMs)
    expect(times.length).toBeGreaterThan(1)
    expect(times.every((time, turn) => time - (times[turn - 1] ?? 0) >= 99)).toBe(true)
    expect(samples[0]?.processes).toBeGreaterThanOrEqual(1)
  })

  it('sets each process limit, and reports the kernel’s value', async () => {
    await using container = await Container.start()
    const limits = sampleLimits({ openFiles: 99 })
    const { stdout, started } = await container.run({ argv: ['cat', '/proc/self/limits'], limits })
    // /proc/self/limits: a heading, then one line per resource number: name, soft limit, hard limit, unit.
    const lines = stdout.toString().split('\n').slice(1)
    for (const { name, resource, unit } of PROCESS_LIMITS) {
      const both = ` ${limits[name] * unit} +${limits[name] * unit} `
      expect(lines[resource], name).toMatch(new RegExp(both))
    }
    expect(started?.limits).toEqual(limits)
  })

  it('reports the kernel’s value of a limit that it could not set', async () => {
    await using container = await Container.start()
    const limits = sampleLimits({ openFiles: 0xffff_ffff })
    const { started } = await container.run({ argv: ['true'], limits })
    expect(started?.limits.openFiles).toBeLessThan(0xffff_ffff)
  })

  it('reports the start of a silent program soon, and that of another one with its output', async () => {
    await using container = await Container.start()
    container.send(exec({ argv: ['sleep', '100'] }))
    expect(await container.frame()).toMatchObject({ type: 'started' })
    container.send(encodeKill())
    await container.next('done')
    const { started, stdout } = await container.sh('echo x')
    expect([started?.wallMs, stdout.toString()]).toEqual([20_000, 'x\n'])
  })

  it('gives the program its limits and a clean start', async () => {
    await using container = await Container.start()
    const { stdout } = await container.sh(
      'ulimit -n; ulimit -c; ulimit -t; umask; cat /proc/self/oom_score_adj; ls /proc/self/fd | wc -l; grep -E "^Sig(Blk|Ign)|NoNewPrivs|^Seccomp:|CapEff" /proc/self/status',
      { limits: sampleLimits({ openFiles: 64 }), cpuMs: 1500 },
    )
    expect(stdout.toString().split(/\s+/)).toEqual(
      [
        '64',
        '0',
        '3',
        '0022',
        '1000',
        '4',
        'SigBlk:',
        '0000000000000000',
        'SigIgn:',
        '0000000000000000',
      ].concat(['CapEff:', '0000000000000000', 'NoNewPrivs:', '1', 'Seccomp:', '2', '']),
    )
  })
})

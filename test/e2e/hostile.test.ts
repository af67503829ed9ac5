import { once } from 'node:events'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { JobInput, Result } from '@isopod/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { program } from '../support/programs.ts'
import { EXPECTED } from '../support/runtime.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

const MIB = 1024 * 1024
let world: World

beforeAll(async () => {
  world = await startWorld({ env: { ...WITHOUT_RETRIES, ISOPOD_SLOTS: '2', HOST_SECRET: 'must-not-leak' } })
})

afterAll(async () => {
  await world?.close()
})

// After each hostile program an ordinary job must succeed on the same worker.
// promise: clean-slate
afterEach(async () => {
  const next = await world.client.run(program('hello.py'))
  expect(next).toMatchObject({ status: 'success', stdout: 'hello\n', stderr: '' })
})

function run(name: string, job: Partial<JobInput> = {}): Promise<Result> {
  return world.client.run({ ...program(name), ...job })
}

// promise: timeout
describe.concurrent('time', () => {
  it('an endless loop ends at its limit', async () => {
    const result = await run('forever.py', { limits: { timeoutSeconds: 1 } })
    expect(result).toMatchObject({
      status: 'timeout',
      limit: 'timeout',
      attributable: true,
      errorMessage: 'Execution timed out after 1 second',
    })
  })

  it('a program that sleeps past its limit keeps what it printed before', async () => {
    const result = await run('sleep-past-limit.py', { limits: { timeoutSeconds: 4 } })
    expect(result).toMatchObject({ status: 'timeout', stdout: 'before\n' })
  })

  it('a program ends at its limit of CPU time, independent of its timeout', async () => {
    const result = await run('forever.py', { limits: { timeoutSeconds: 20, cpuSeconds: 0.5, cpus: 1 } })
    expect(result).toMatchObject({ status: 'timeout', limit: 'cpu' })
  })
})

// promise: processes
describe.concurrent('processes', () => {
  it('a fork bomb in Python reaches its limit of processes and cannot exceed it', async () => {
    const result = await run('fork-bomb.py', { limits: { timeoutSeconds: 2, processes: 30 } })
    expect(result).toMatchObject({ status: 'timeout', limit: 'timeout' })
    expect(result.processesPeak).toBeLessThanOrEqual(30)
    expect(result.limitsApplied?.processes).toBe(30)
  })

  it('a fork bomb in Bash reaches its limit of processes and cannot exceed it', async () => {
    const result = await run('fork-bomb.sh', { limits: { timeoutSeconds: 2, processes: 30 } })
    expect(['timeout', 'execution_error']).toContain(result.status)
    expect(result.attributable).toBe(true)
    expect(result.processesPeak).toBeLessThanOrEqual(30)
  })

  it('a thread bomb is refused more threads', async () => {
    const result = await run('thread-bomb.py', { limits: { processes: 40 } })
    expect(result).toMatchObject({ status: 'execution_error', exitCode: 7 })
    expect(result.stdout).toMatch(/^refused after \d+: can't start new thread/)
  })

  it('a background process ends with the program that left it', async () => {
    const result = await run('leave-background-process.sh')
    expect(result).toMatchObject({ status: 'success', stdout: 'main is done\n' })
  })
})

// promise: memory
describe.concurrent('memory', () => {
  it('a memory bomb exceeds its limit', async () => {
    const result = await run('memory-bomb.py', { limits: { memoryMb: 64 } })
    expect(result).toMatchObject({ status: 'memory_exceeded', limit: 'memory', signal: 'SIGKILL' })
    expect(result.memoryPeakBytes).toBeLessThanOrEqual(64 * MIB)
    expect(result.memoryPeakBytes).toBeGreaterThan(EXPECTED.minPeakOfMemoryBomb)
    expect(result.limitsApplied).toMatchObject({ memoryMb: 64 })
  })

  it('a memory bomb in a child process exceeds the limit, which holds for all processes together', async () => {
    const result = await run('memory-bomb-in-child.py', { limits: { memoryMb: 64 } })
    expect(result).toMatchObject({ status: 'memory_exceeded', limit: 'memory' })
  })
})

// promise: output
describe('output', () => {
  it('1 GB of output on both streams is counted, cut at the limit, and never written to a disk of the host', async () => {
    const before = await freeBytes()
    const result = await run('flood-both-streams.py', { limits: { timeoutSeconds: 60, cpus: 2 } })
    expect(result).toMatchObject({
      status: 'success',
      truncated: { stdout: true, stderr: true },
      outputBytes: { stdout: 1_000_000_000, stderr: 1_000_000_000 },
    })
    expect(Buffer.byteLength(result.stdout)).toBe(102_400)
    expect(Buffer.byteLength(result.stderr)).toBe(102_400)
    expect(before - (await freeBytes())).toBeLessThan(100 * MIB)
  })

  it('output of 10 MB in one line is cut exactly at the limit in bytes', async () => {
    const result = await run('one-long-line.py', { limits: { outputBytes: 12_345 } })
    expect(result).toMatchObject({
      status: 'success',
      outputBytes: { stdout: 10_000_000 },
      truncated: { stdout: true, stderr: false },
    })
    expect(result.stdout).toBe('y'.repeat(12_345))
  })

  it('a job can ask to end a program that prints too much', async () => {
    const result = await run('flood-both-streams.py', { limits: { onOverflow: 'kill', outputBytes: 1000 } })
    expect(result).toMatchObject({ status: 'output_exceeded', limit: 'output' })
  })

  it('a job can ask for no output', async () => {
    const result = await run('hello.py', { limits: { outputBytes: 0 } })
    expect(result).toMatchObject({
      status: 'success',
      stdout: '',
      outputBytes: { stdout: 6 },
      truncated: { stdout: true },
    })
  })

  it('output that is not UTF-8 is kept as raw bytes beside the text', async () => {
    const result = await run('undecodable.py')
    expect(result.stdout).toBe('ok \ufffd\ufffd \ufffd( end')
    expect(Buffer.from(result.raw?.stdout ?? '', 'base64')).toEqual(
      Buffer.from('6f6b20fffe20c32820656e64', 'hex'),
    )
  })

  it('NUL characters in the output are kept', async () => {
    expect(await run('nul-in-output.py')).toMatchObject({ status: 'success', stdout: 'a\0b\n' })
  })

  // promise: init-is-safe
  it('frames of init’s protocol on stdout are ordinary output', async () => {
    const result = await run('forge-frames.py')
    expect(result).toMatchObject({ status: 'execution_error', exitCode: 9 })
    expect(result.outputBytes.stdout).toBeGreaterThan(100)
    expect(result.outputBytes.stdout).toBe(result.outputBytes.stderr)
  })

  it('a program may close its streams and go on working', async () => {
    expect(await run('close-stdout-then-work.py')).toMatchObject({
      status: 'execution_error',
      exitCode: 3,
      stdout: '',
    })
  })
})

// promise: disk
describe('files', () => {
  it('a program that fills its disk is refused further bytes at its own limit', async () => {
    const before = await freeBytes()
    const result = await run('fill-disk.py', { limits: { diskMb: 32, memoryMb: 256 } })
    expect(result).toMatchObject({ status: 'success' })
    expect(result.stdout).toBe('/workspace ENOSPC\n/tmp ENOSPC\n/dev/shm ENOSPC\nMiB 47\n')
    expect(before - (await freeBytes())).toBeLessThan(50 * MIB)
  })

  it('a program that fills its disk is refused further inodes at its own limit', async () => {
    const result = await run('fill-inodes.py', { limits: { timeoutSeconds: 10 } })
    expect(result).toMatchObject(EXPECTED.inodeFiller)
  })

  it('nothing outside the workspace can be written', async () => {
    expect(await run('write-outside.py')).toMatchObject({ status: 'success', stdout: 'done\n' })
  })

  it('a program finds no file of the host and no process of others', async () => {
    expect(await run('escape-by-proc.py')).toMatchObject({ status: 'success', stdout: 'others 0\n' })
  })
})

describe('network and host', () => {
  // promise: no-network
  it('a program reaches no server by address, by name, or on the host itself', async () => {
    const reached: string[] = []
    const server = createServer((socket) => {
      reached.push(socket.remoteAddress ?? '')
      socket.destroy()
    }).listen(0, '0.0.0.0')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const own = Object.values(networkInterfaces()).flatMap(
      (list) => list?.map(({ address }) => address) ?? [],
    )
    const targets = [...own, '172.17.0.1', 'host.docker.internal'].map((host) => [host, port])
    try {
      const result = await run('reach-network.py', {
        stdin: JSON.stringify(targets),
        limits: { timeoutSeconds: 60 },
      })
      expect(result.status).toBe('success')
      expect(result.stdout).not.toMatch(/REACHED|RESOLVED/)
      expect(result.stdout).toContain('no names')
      expect(reached).toEqual([])
    } finally {
      server.close()
    }
  })

  // promise: environment
  it('a program inherits no environment variable of the worker', async () => {
    const result = await run('print-environment.py')
    const names = Object.keys(JSON.parse(result.stdout) as object)
    expect(result.stdout).not.toContain('must-not-leak')
    expect(
      names.filter(
        (name) => !/^(PATH|HOME|TMPDIR|LANG|LC_CTYPE|PYTHON[A-Z]+|[A-Z]+_NUM_THREADS|GOMAXPROCS)$/.test(name),
      ),
    ).toEqual([])
  })

  // promise: init-is-safe
  it('a program can neither read nor end init, nor write to it', async () => {
    expect(await run('touch-init.py')).toMatchObject({
      status: 'success',
      stdout: 'still here\n',
      exitCode: 0,
    })
  })

  it('resources that all containers share can be neither exhausted nor used to pass messages', async () => {
    const result = await run('take-shared.py')
    expect(result).toMatchObject({ status: 'success' })
    expect(result.stdout).toMatch(EXPECTED.sharedThings)
  })

  it('a program cannot lower the limits of init', async () => {
    const result = await run('prlimit-init.py')
    expect(result).toMatchObject({ status: 'success' })
    expect(result.stdout).not.toContain('LIMITED')
  })
})

// promise: signals
describe.concurrent('signals', () => {
  it.each([
    [1, 'SIGHUP'],
    [2, 'SIGINT'],
    [3, 'SIGQUIT'],
    [4, 'SIGILL'],
    [5, 'SIGTRAP'],
    [6, 'SIGABRT'],
    [7, 'SIGBUS'],
    [8, 'SIGFPE'],
    [9, 'SIGKILL'],
    [10, 'SIGUSR1'],
    [11, 'SIGSEGV'],
    [12, 'SIGUSR2'],
    [13, 'SIGPIPE'],
    [14, 'SIGALRM'],
    [15, 'SIGTERM'],
    [24, 'SIGXCPU'],
    [25, 'SIGXFSZ'],
    [31, 'SIGSYS'],
  ])('a program that ends by signal %i is reported with %s', async (number, signal) => {
    const result = await run('kill-self.py', { stdin: String(number) })
    expect(result).toMatchObject({ status: 'execution_error', exitCode: null, signal, limit: null })
  })

  it('a program that stops itself with SIGSTOP times out', async () => {
    const result = await run('kill-self.py', { stdin: '19', limits: { timeoutSeconds: 1 } })
    expect(result).toMatchObject({ status: 'timeout' })
  })
})

async function freeBytes(): Promise<number> {
  const { bavail, bsize } = await statfs('/')
  return bavail * bsize
}

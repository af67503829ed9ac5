import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Result } from '@isopod/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { hostRuns } from '../../../../test/support/host/processes.ts'
import { startWorld, type World } from '../../../../test/support/world.ts'
import { type Finished, isopod } from './isopod.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(() => world?.close())

function onWorld(args: readonly string[], options: Parameters<typeof isopod>[1] = {}): Promise<Finished> {
  const env = { REDIS_URL: world.redisUrl, ISOPOD_QUEUE_PREFIX: world.prefix }
  return isopod(args, { ...options, env: { ...env, ...options.env } })
}

const HELLO = fileURLToPath(new URL('hello.py', import.meta.url))

describe.concurrent('isopod run', () => {
  it('runs a file and ends with exit code 0', async () => {
    const { exitCode, stdout, stderr } = await onWorld(['run', HELLO])
    expect(stdout.toString()).toBe('Hello from a file\n')
    expect(stderr).toMatch(/^success · exit code 0 · [\d.]+ s · peak [\d.]+ MiB\n$/)
    expect(exitCode).toBe(0)
  })

  it('runs standard input, and ends with exit code 1 when the program fails', async () => {
    const { exitCode, stderr } = await onWorld(['run', '-', '--language', 'js'], { stdin: 'process.exit(7)' })
    expect(stderr).toMatch(/^execution_error · exit code 7 · /)
    expect(exitCode).toBe(1)
  })

  it('prints output as it arrives with --follow, and ends as without it', async () => {
    const stdin = 'echo one; sleep 0.5; echo two >&2; sleep 0.2; printf three; exit 7'
    const args = ['run', '-', '--language', 'bash', '--follow']
    const { exitCode, stdout, stderr } = await onWorld(args, { stdin })
    expect(stdout.toString()).toBe('one\nthree')
    expect(stderr).toMatch(/^two\nexecution_error · exit code 7 · /)
    expect(exitCode).toBe(1)
  })

  it('prints only the whole result with --json', async () => {
    const stdin = 'print(sum(input_data["n"]), input())'
    const options = [
      '--input-data',
      '{"n": [1, 2, 3]}',
      '--stdin',
      HELLO,
      '--memory',
      '64',
      '--timeout',
      '10',
    ]
    const { stdout, stderr, exitCode } = await onWorld(['run', '-', '--json', ...options], { stdin })
    const result = JSON.parse(stdout.toString()) as Result
    expect(result).toMatchObject({ status: 'success', exitCode: 0, stdout: "6 print('Hello from a file')\n" })
    expect(result.limitsApplied).toMatchObject({ memoryMb: 64, timeoutSeconds: 10 })
    expect([stderr, exitCode]).toEqual(['', 0])
  })

  it('writes binary output unchanged to a pipe', async () => {
    const stdin = 'import sys; sys.stdout.buffer.write(bytes([255, 0, 27]))'
    expect((await onWorld(['run', '-'], { stdin })).stdout).toEqual(Buffer.from([255, 0, 27]))
  })

  it('names the limit that ended a program, and shows the output until then', async () => {
    const { stdout, stderr, exitCode } = await onWorld(['run', '-', '--timeout', '1'], {
      stdin: 'import time\nprint("before")\ntime.sleep(60)',
    })
    expect(stdout.toString()).toBe('before\n')
    expect(stderr).toContain('timeout · Execution timed out after 1 second')
    expect(exitCode).toBe(1)
  })

  it('refuses an unknown language with exit code 2 and lists the languages of the workers', async () => {
    const { stderr, exitCode } = await onWorld(['run', '-', '--language', 'brainfuck'], { stdin: 'x' })
    expect(stderr).toMatch(
      /^isopod: language: "brainfuck" is not supported; the supported languages are python@3\.13/,
    )
    expect(exitCode).toBe(2)
  })

  it('cancels the job on SIGINT', async () => {
    const seconds = `100.${process.pid}`
    let interrupt = () => {}
    const running = onWorld(['run', '-', '--language', 'bash', '--timeout', '200'], {
      stdin: `sleep ${seconds}`,
      onStarted: (kill) => {
        interrupt = () => kill('SIGINT')
      },
    })
    const until = (runs: boolean) =>
      eventually(
        async () => hostRuns('sleep', seconds),
        (now) => now === runs,
        40_000,
      )
    expect(await until(true)).toBe(true)
    interrupt()
    expect(await running).toMatchObject({ exitCode: 130, stderr: 'isopod: interrupted\n' })
    expect(await until(false)).toBe(false)
    const isCancelled = (line: Record<string, unknown>) => line['status'] === 'cancelled'
    const lines = await eventually(world.log, (log) => log.some(isCancelled))
    expect(lines.filter(isCancelled)).toMatchObject([{ event: 'finished' }])
  })
})

describe.concurrent('isopod submit, results and cancel', () => {
  it('take each result once', async () => {
    const submitted = await onWorld(['submit', HELLO, '-', '--reply-to', 'cli-test'], { stdin: 'print(2)' })
    const ids = submitted.stdout.toString().trimEnd().split('\n')
    expect(ids).toHaveLength(2)
    const taken = await onWorld(['results', '--reply-to', 'cli-test', '--count', '2', '--json'])
    const results = taken.stdout.toString().trimEnd().split('\n')
    expect(results.map((line) => (JSON.parse(line) as Result).id).sort()).toEqual([...ids].sort())
    expect((await onWorld(['results', '--reply-to', 'cli-test'])).stdout.toString()).toBe('')
    const late = await onWorld(['cancel', ids[0] ?? ''])
    expect(late).toMatchObject({ exitCode: 1, stderr: `isopod: ${ids[0]} has already ended\n` })
  })

  it('result shows a stored result by its id, also after results has taken it', async () => {
    const { stdout } = await onWorld(['submit', '-', '--reply-to', 'again'], { stdin: 'print(5); exit(3)' })
    const id = stdout.toString().trim()
    const waited = await onWorld(['result', '--wait', id])
    expect(waited).toMatchObject({ exitCode: 1, stdout: Buffer.from('5\n') })
    const taken = await onWorld(['results', '--reply-to', 'again', '--count', '1'])
    expect(taken.stdout.toString()).toMatch(new RegExp(`^${id}  python@.*  execution_error .*\\n  \\| 5\\n$`))
    const stored = await onWorld(['result', id, '--json'])
    expect(JSON.parse(stored.stdout.toString())).toMatchObject({ id, exitCode: 3 })
  })

  it('languages lists the languages of the workers', async () => {
    const { stdout } = await onWorld(['languages'])
    const lines = stdout.toString().split('\n').slice(1, 6)
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      ...['python', 'javascript', 'typescript', 'bash', 'c'],
    ])
    // Images of these five are built with the stack, so none is marked as missing.
    expect(lines.join()).not.toContain('isopod/')
  })
})

describe.concurrent('a Redis that does not answer', () => {
  it.each(['redis://127.0.0.1:1', 'redis+unix:///nowhere/redis.sock'])(
    '%s ends each command with exit code 3 and one sentence',
    async (REDIS_URL) => {
      const finished = await isopod(['run', '-'], { stdin: 'print(1)', env: { REDIS_URL } })
      expect(finished.exitCode).toBe(3)
      expect(finished.stderr).toMatch(/^isopod: [^\n]+\n$/)
      expect(finished.stderr).not.toContain('    at ')
    },
  )

  it('ends the command also if it accepts connections and never answers', async () => {
    const sockets: Socket[] = []
    const mute = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const REDIS_URL = `redis://127.0.0.1:${(mute.address() as AddressInfo).port}`
    const finished = await isopod(['languages'], { env: { REDIS_URL } })
    for (const socket of sockets) socket.destroy()
    mute.close()
    expect(finished).toMatchObject({ exitCode: 3, stderr: expect.stringMatching(/^isopod: [^\n]+\n$/) })
  })
})

import type { JobEvent } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { cli, fakeClient, resultOf } from './support.ts'

const RUNNING = { id: '1-1', type: 'status', status: 'running', attempt: 1 } as const
const FINISHED = { id: 'finished', type: 'finished', status: 'success' } as const

async function followed(
  events: readonly JobEvent[],
  options: Parameters<typeof cli>[1] & { result?: Parameters<typeof resultOf>[0]; args?: string[] } = {},
) {
  const { result, args = [], ...rest } = options
  const client = fakeClient(() => resultOf(result), events)
  return await cli(['run', '-', '--follow', ...args], { stdin: 'x', client, ...rest })
}

describe('isopod run --follow', () => {
  it('requests live output, prints it once, and then says how the program ended', async () => {
    const { stdout, stderr, calls, exitCode } = await followed(
      [
        RUNNING,
        { id: '1-2', type: 'stdout', text: 'hi' },
        { id: '1-3', type: 'stderr', text: 'oh\n' },
        { id: '1-4', type: 'stdout', text: '\n' },
        FINISHED,
      ],
      { result: { stdout: 'hi\n', stderr: 'oh\n', warnings: ['imports os'] } },
    )
    expect(calls[0]).toMatchObject({ method: 'submitMany', value: [{ code: 'x', stream: true }] })
    expect(stdout).toBe('hi\n')
    expect(stderr).toBe('oh\nwarning: imports os\nsuccess · exit code 0 · 0.034 s · peak 8.2 MiB\n')
    expect(exitCode).toBe(0)
  })

  it('prints the whole result if no live output arrived', async () => {
    const result = {
      status: 'compile_error',
      stderr: 'main.c:1: error\n',
      errorMessage: 'Compilation failed',
    } as const
    const { stderr, exitCode } = await followed([FINISHED], { result })
    expect(stderr).toMatch(/^main\.c:1: error\ncompile_error · /)
    expect(exitCode).toBe(1)
  })

  it('reports a restart of the program and the amount of dropped output', async () => {
    const { stderr } = await followed([
      RUNNING,
      { id: '1-2', type: 'stdout', text: 'x' },
      { ...RUNNING, id: '2-1', attempt: 2 },
      { id: '2-2', type: 'stdout', text: 'x' },
      { id: '2-3', type: 'dropped', chunks: 2, bytes: 70 },
      FINISHED,
    ])
    expect(stderr).toContain('isopod: the program starts again (attempt 2); what it printed so far is void\n')
    expect(stderr).toContain(
      'isopod: 70 bytes of output are not shown live; without --follow, all of it is shown\n',
    )
  })

  it('escapes deceptive characters on a terminal, also across chunks and streams', async () => {
    const marks = Array.from({ length: 12 }, (_, index) => ({
      id: `1-${index + 2}`,
      type: index % 2 === 0 ? ('stdout' as const) : ('stderr' as const),
      text: index === 0 ? 'a\u0301' : '\u0301',
    }))
    const { stdout, stderr } = await followed(
      [RUNNING, { id: '1-1', type: 'stdout', text: '\u001b[2J\n' }, ...marks, FINISHED],
      { isTTY: true },
    )
    expect(stdout).toMatch(/^\\x1b\[2J\n/)
    const shown = (stdout + stderr).split('\u0301').length - 1
    expect(shown).toBe(8)
    expect((stdout + stderr).split('\\u{301}').length - 1).toBe(4)
  })

  it('shows an emoji whose variation selector arrives in the next chunk', async () => {
    const { stdout } = await followed(
      [
        RUNNING,
        { id: '1-2', type: 'stdout', text: '❤' },
        { id: '1-3', type: 'stdout', text: '\ufe0f\n' },
        FINISHED,
      ],
      { isTTY: true },
    )
    expect(stdout).toBe('❤\ufe0f\n')
  })

  it('writes the program’s own bytes to a pipe, and its unescaped text to a terminal with --raw', async () => {
    const bytes = Buffer.from([0xff, 27])
    const event = { id: '1-2', type: 'stdout', text: '\ufffd\u001b', raw: bytes.toString('base64') } as const
    expect((await followed([RUNNING, event, FINISHED])).bytes).toEqual(bytes)
    expect((await followed([RUNNING, event, FINISHED], { isTTY: true, args: ['--raw'] })).bytes).toEqual(
      bytes,
    )
    expect((await followed([RUNNING, event, FINISHED], { isTTY: true })).stdout).toBe('\ufffd\\x1b')
  })

  it('prints only the events, one per line, with --json', async () => {
    const events: JobEvent[] = [RUNNING, { id: '1-2', type: 'stdout', text: 'hi' }, FINISHED]
    const { exitCode, stdout, stderr } = await followed(events, { args: ['--json'] })
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(lines).toEqual(events)
    expect([exitCode, stderr]).toEqual([0, ''])
  })
})

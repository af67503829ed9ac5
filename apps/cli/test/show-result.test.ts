import { describe, expect, it } from 'vitest'
import { jsonLine, showResult } from '../src/terminal/show-result.ts'
import { fakeIo, resultOf } from './support.ts'

async function shown(
  changes: Parameters<typeof resultOf>[0],
  options: { isTTY?: boolean; raw?: boolean } = {},
) {
  const { io, out, err } = fakeIo(options.isTTY === undefined ? {} : { isTTY: options.isTTY })
  await showResult(io, resultOf(changes), { raw: options.raw ?? false })
  return { stdout: out.text(), stderr: err.text(), bytes: out.bytes() }
}

describe('showResult', () => {
  it('writes each stream of the program to the same stream, and one line about its end to stderr', async () => {
    const { stdout, stderr } = await shown({ stdout: 'out\n', stderr: 'err\n' })
    expect(stdout).toBe('out\n')
    expect(stderr).toBe('err\nsuccess · exit code 0 · 0.034 s · peak 8.2 MiB\n')
  })

  it('escapes control characters on a terminal', async () => {
    const { stdout, stderr } = await shown(
      { stdout: '\u001b[2Jx\n', stderr: '\u001b]0;t\u0007\n' },
      { isTTY: true },
    )
    expect(stdout).toBe('\\x1b[2Jx\n')
    expect(stderr).toMatch(/^\\x1b\]0;t\\x07\n/)
  })

  it('leaves control characters unescaped in a file or pipe, and on a terminal if asked', async () => {
    expect((await shown({ stdout: '\u001b[1mx' }, { isTTY: true, raw: true })).stdout).toContain('\u001b[1mx')
    expect((await shown({ stdout: '\u001b[1mx' })).stdout).toBe('\u001b[1mx')
  })

  it('writes binary output unchanged to a pipe', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe])
    const raw = { stdout: bytes.toString('base64') }
    expect((await shown({ stdout: '\ufffd\0\ufffd', raw })).bytes).toEqual(bytes)
    expect((await shown({ stdout: '\ufffd\0\ufffd', raw }, { isTTY: true })).stdout).toBe('\ufffd\\x00\ufffd')
  })

  it('ends an unfinished last line of the program before its own line', async () => {
    expect((await shown({ stderr: 'open' })).stderr).toMatch(/^open\nsuccess/)
    expect((await shown({ stdout: 'open' }, { isTTY: true })).stderr).toMatch(/^\nsuccess/)
    expect((await shown({ stdout: 'open' })).stderr).toMatch(/^success/)
  })

  it('shows compiler output, warnings and which stream was cut', async () => {
    const { stderr } = await shown({
      compileOutput: 'main.c:1: error\n',
      warnings: ['imports os'],
      truncated: { stdout: true, stderr: false },
      outputBytes: { stdout: 1_000_000, stderr: 0 },
    })
    expect(stderr).toContain('main.c:1: error\n')
    expect(stderr).toContain('warning: imports os\n')
    expect(stderr).toContain('stdout cut, 1000000 bytes were written\n')
  })

  it.each([
    [{ status: 'execution_error', exitCode: 7 } as const, 'execution_error · exit code 7'],
    [{ status: 'execution_error', exitCode: null, signal: 'SIGSEGV' } as const, 'ended by SIGSEGV'],
    [
      { status: 'timeout', exitCode: null, errorMessage: 'Execution timed out after 5 seconds' } as const,
      'timeout · Execution timed out after 5 seconds',
    ],
    [
      { status: 'setup_error', exitCode: null, wallMs: null, errorMessage: 'no\n\u001b[1mimage' } as const,
      'setup_error · no \\x1b[1mimage',
    ],
  ])('says in one line how %o ended', async (changes, line) => {
    expect((await shown(changes)).stderr).toContain(line)
  })
})

describe('jsonLine', () => {
  it('is one line without control characters that parses back to the same value', () => {
    const value = { text: 'a\n\u001b[2J\u007f\u009b\u2028' }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters.
    expect(jsonLine(value)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|\n./)
    expect(JSON.parse(jsonLine(value))).toEqual(value)
  })
})

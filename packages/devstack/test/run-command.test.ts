import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { findProgram, lastLines, runCommand, tryCommand, withAdminPath } from '../src/run-command.ts'

it('gives output and exit code of a command, whatever they are', async () => {
  const outcome = await tryCommand(['sh', '-c', 'echo out; echo err >&2; exit 3'])
  expect(outcome).toMatchObject({ exitCode: 3, stdout: 'out\n' })
  expect(outcome.output).toContain('err')
})

it('passes words on as they are, with no shell between', async () => {
  expect(await runCommand(['printf', '%s', '$(id) `id` ; "x"'])).toBe('$(id) `id` ; "x"')
})

it('feeds the input, and outlives a command that does not read it', async () => {
  expect(await runCommand(['cat'], { input: Readable.from(['one ', 'two']) })).toBe('one two')
  const unread = Readable.from(Array.from({ length: 1000 }, () => 'x'.repeat(10_000)))
  expect((await tryCommand(['true'], { input: unread })).exitCode).toBe(0)
})

it('ends a command at its deadline, and when its signal aborts', async () => {
  expect((await tryCommand(['sleep', '60'], { deadlineMs: 50 })).exitCode).toBeNull()
  expect((await tryCommand(['sleep', '60'], { signal: AbortSignal.timeout(50) })).exitCode).toBeNull()
})

it('names the command and its last lines when it fails', async () => {
  await expect(runCommand(['sh', '-c', 'echo why >&2; exit 1'])).rejects.toThrow('failed: why')
  await expect(runCommand(['no-such-program-anywhere'])).rejects.toThrow('ENOENT')
})

it('finds programs on PATH and in the administrator’s folders only', async () => {
  expect(await findProgram('sh', { PATH: '/nowhere:/bin' })).toBe('/bin/sh')
  expect(await findProgram('no-such-program-anywhere')).toBeUndefined()
  expect(withAdminPath({ PATH: '/usr/sbin:/bin' })['PATH']).toBe('/usr/sbin:/bin:/usr/local/sbin:/sbin')
})

it('keeps the last lines that say something', () => {
  expect(lastLines('a\n\nb\n \nc\n', 2)).toBe('b\nc')
  expect(lastLines('\n', 2)).toBe('it printed nothing')
})

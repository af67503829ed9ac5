import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { findProgram, lastLines, runCommand, tryCommand, withAdminPath } from '../src/run-command.ts'

it('tryCommand returns output and exit code of a command, also of a failed one', async () => {
  const outcome = await tryCommand(['sh', '-c', 'echo out; echo err >&2; exit 3'])
  expect(outcome).toMatchObject({ exitCode: 3, stdout: 'out\n' })
  expect(outcome.output).toContain('err')
})

it('runCommand passes arguments on unchanged, without a shell', async () => {
  expect(await runCommand(['printf', '%s', '$(id) `id` ; "x"'])).toBe('$(id) `id` ; "x"')
})

it('runCommand feeds the input, and tolerates a command that does not read it', async () => {
  expect(await runCommand(['cat'], { input: Readable.from(['one ', 'two']) })).toBe('one two')
  const unread = Readable.from(Array.from({ length: 1000 }, () => 'x'.repeat(10_000)))
  expect((await tryCommand(['true'], { input: unread })).exitCode).toBe(0)
})

it('tryCommand ends a command at its deadline, and when its signal aborts', async () => {
  expect((await tryCommand(['sleep', '60'], { deadlineMs: 50 })).exitCode).toBeNull()
  expect((await tryCommand(['sleep', '60'], { signal: AbortSignal.timeout(50) })).exitCode).toBeNull()
})

it('runCommand fails with the last lines of the command', async () => {
  await expect(runCommand(['sh', '-c', 'echo why >&2; exit 1'])).rejects.toThrow('failed: why')
  await expect(runCommand(['no-such-program-anywhere'])).rejects.toThrow('ENOENT')
})

it('findProgram searches only PATH and the administrator’s folders', async () => {
  expect(await findProgram('sh', { PATH: '/nowhere:/bin' })).toBe('/bin/sh')
  expect(await findProgram('no-such-program-anywhere')).toBeUndefined()
  expect(withAdminPath({ PATH: '/usr/sbin:/bin' })['PATH']).toBe('/usr/sbin:/bin:/usr/local/sbin:/sbin')
})

it('lastLines keeps the last non-blank lines', () => {
  expect(lastLines('a\n\nb\n \nc\n', 2)).toBe('b\nc')
  expect(lastLines('\n', 2)).toBe('it printed nothing')
})

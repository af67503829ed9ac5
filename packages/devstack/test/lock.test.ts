import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { withLock } from '../src/lock.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const HOLDER = fileURLToPath(new URL('support/lock-holder.ts', import.meta.url))

function hold(lock: string, log: string, milliseconds: number, times = 1) {
  const words = [HOLDER, lock, log, String(milliseconds), String(times)]
  const child = spawn(process.execPath, words, { stdio: 'inherit' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function untilLogged(log: string): Promise<void> {
  while ((await readFile(log, 'utf8').catch(() => '')) === '') await sleep(10)
}

it('a lock lets in one process at a time', async () => {
  const folder = await temporaryFolder()
  const [lock, log] = [join(folder, 'lock'), join(folder, 'log')]
  const holders = Array.from({ length: 5 }, () => hold(lock, log, 30))
  await Promise.all(holders.map((holder) => once(holder, 'exit')))
  expect(await readFile(log, 'utf8')).toBe('in\nout\n'.repeat(5))
  expect(await readdir(folder)).toEqual(['log'])
})

it('a lock is neither lost nor left over when many processes take and release it', async () => {
  const folder = await temporaryFolder()
  const [lock, log] = [join(folder, 'lock'), join(folder, 'log')]
  const holders = Array.from({ length: 4 }, () => hold(lock, log, 0, 200))
  await Promise.all(holders.map((holder) => once(holder, 'exit')))
  expect(await readFile(log, 'utf8')).toBe('in\nout\n'.repeat(800))
  expect(await readdir(folder)).toEqual(['log'])
})

it('a lock lets in one process at a time even if all of them find a dead holder', async () => {
  const folder = await temporaryFolder()
  const [lock, log] = [join(folder, 'lock'), join(folder, 'log')]
  const dead = hold(lock, log, 60_000)
  await untilLogged(log)
  dead.kill('SIGKILL')
  await once(dead, 'exit')
  const holders = Array.from({ length: 5 }, () => hold(lock, log, 30))
  await Promise.all(holders.map((holder) => once(holder, 'exit')))
  expect(await readFile(log, 'utf8')).toBe(`in\n${'in\nout\n'.repeat(5)}`)
  expect(await readdir(folder)).toEqual(['log'])
})

it('a lock lets in one caller per process at a time', async () => {
  const lock = join(await temporaryFolder(), 'lock')
  const seen: string[] = []
  const work = async () => {
    seen.push('in')
    await sleep(20)
    seen.push('out')
  }
  await Promise.all([withLock(lock, work), withLock(lock, work), withLock(lock, work)])
  expect(seen).toEqual(['in', 'out', 'in', 'out', 'in', 'out'])
})

it('a lock is released when the work fails', async () => {
  const lock = join(await temporaryFolder(), 'lock')
  const failing = withLock(lock, async () => {
    throw new Error('no luck')
  })
  await expect(failing).rejects.toThrow('no luck')
  expect(await withLock(lock, async () => 'mine')).toBe('mine')
})

it('a lock is taken over when its holder was killed', async () => {
  const folder = await temporaryFolder()
  const [lock, log] = [join(folder, 'lock'), join(folder, 'log')]
  const holder = hold(lock, log, 60_000)
  await untilLogged(log)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  expect(await withLock(lock, async () => 'mine', { waitMs: 2000 })).toBe('mine')
})

it('a lock is taken over when its file is empty', async () => {
  const lock = join(await temporaryFolder(), 'lock')
  await writeFile(lock, '')
  expect(await withLock(lock, async () => 'mine', { waitMs: 2000 })).toBe('mine')
})

it.each([300, 0])(
  'a caller that waits %i ms names the holder and its start once, and again in the error when it gives up',
  async (waitMs) => {
    const folder = await temporaryFolder()
    const [lock, log] = [join(folder, 'lock'), join(folder, 'log')]
    const holder = hold(lock, log, 60_000)
    await untilLogged(log)
    const said: string[] = []
    const waiting = withLock(lock, async () => 'mine', { waitMs, log: (line) => said.push(line) })
    const described = new RegExp(
      `^lock-holder \\(process ${holder.pid}, since \\d\\d:\\d\\d:\\d\\d\\) holds ${lock}; end it`,
    )
    await expect(waiting).rejects.toThrow(described)
    expect(said).toEqual([
      expect.stringMatching(new RegExp(`^waiting for lock-holder \\(process ${holder.pid}, `)),
    ])
  },
)

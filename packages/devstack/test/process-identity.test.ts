import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { endProcess, identifyProcess, isRunning, startTicks } from '../src/process/process-identity.ts'

async function start(script: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  // The script prints when its signal handlers are set.
  if (child.stdout) await once(child.stdout, 'data')
  return Object.assign(child, { pid: child.pid ?? 0 })
}

it('a process identity matches the process while it runs', () => {
  const me = identifyProcess(process.pid)
  expect(me?.pid).toBe(process.pid)
  expect(identifyProcess(process.pid)).toEqual(me)
  expect(me && isRunning(me)).toBe(true)
})

it('a process identity does not match another process with the same pid', async () => {
  const child = await start('echo ready; exec sleep 60')
  const stranger = { pid: child.pid, startedAt: 'another boot:1' }
  expect(isRunning(stranger)).toBe(false)
  expect(await endProcess(stranger, 1000)).toBe(false)
  expect(identifyProcess(child.pid)).toBeDefined()
})

it.each([0, -1, 1.5, Number.NaN, 2 ** 31])('identifyProcess finds no process with the pid %d', (pid) => {
  expect(identifyProcess(pid)).toBeUndefined()
})

it('endProcess ends a process with SIGTERM if it obeys within the grace period', async () => {
  const child = await start('trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done')
  const identity = identifyProcess(child.pid)
  const ended = once(child, 'exit')
  expect(identity && (await endProcess(identity, 5000))).toBe(true)
  expect((await ended)[0]).toBe(7)
})

it('endProcess kills a process that ignores SIGTERM after the grace period', async () => {
  const child = await start('trap "" TERM; echo ready; while :; do sleep 0.05; done')
  const identity = identifyProcess(child.pid)
  const ended = once(child, 'exit')
  expect(identity && (await endProcess(identity, 100))).toBe(true)
  expect((await ended)[1]).toBe('SIGKILL')
  expect(identity && (await endProcess(identity, 100))).toBe(false)
})

it('startTicks finds the start time after a command name with brackets and spaces', () => {
  const fields = Array.from({ length: 50 }, (_, index) => String(index + 4)).join(' ')
  expect(startTicks(`12 (sh) S ${fields}`)).toBe('22')
  expect(startTicks(`12 (a) Z (b c) R ${fields}`)).toBe('22')
})

it('startTicks treats a zombie as gone', () => {
  const fields = Array.from({ length: 50 }, (_, index) => String(index + 4)).join(' ')
  expect(startTicks(`12 (sh) Z ${fields}`)).toBeUndefined()
  expect(startTicks('')).toBeUndefined()
})

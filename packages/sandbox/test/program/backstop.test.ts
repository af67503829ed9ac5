import { RetryableError } from '@isopod/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runProgram } from '../../src/program/run-program.ts'
import { sampleRun } from '../support/sample-run.ts'
import { ScriptedContainer } from '../support/scripted-container.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A run of a second whose init never reports its end. */
function silentRun() {
  const facts = { id: 'c', imageDigest: 'sha256:1', runtime: 'runc', deadline: Date.now() + 60_000 }
  const container = new ScriptedContainer(facts)
  const signal = new AbortController().signal
  const report = runProgram(container, sampleRun({ wallMs: 1_000 }), { signal, afterUserCode: true })
  return { container, report }
}

it('a run whose init does not report its end is ended, and counts as a timeout if the host answers', async () => {
  const { container, report } = silentRun()
  await vi.advanceTimersByTimeAsync(5_900)
  expect(container.destroyed).toBe(false)
  await vi.advanceTimersByTimeAsync(1_200)
  expect(await report).toMatchObject({ done: undefined, lost: 'backstop' })
})

it('a host that does not answer is not the program’s timeout', async () => {
  const { container, report } = silentRun()
  const fault = new RetryableError('the engine did not answer')
  container.confirmRunning = () => Promise.reject(fault)
  const ended = expect(report).rejects.toBe(fault)
  await vi.advanceTimersByTimeAsync(7_100)
  await ended
  expect(container.destroyed).toBe(true)
})

it('a report that a late host passes on while it is asked counts', async () => {
  const { container, report } = silentRun()
  container.confirmRunning = async () => container.done({ exitCode: 0 })
  await vi.advanceTimersByTimeAsync(7_100)
  expect(await report).toMatchObject({ done: { exitCode: 0 }, lost: undefined })
  expect(container.destroyed).toBe(false)
})

import { expect, it, onTestFinished } from 'vitest'
import { type AskBounds, ask } from '../src/ask.ts'
import { ENTRY, startThread, type Task } from './support/worker.ts'

const BOUNDS: AskBounds = { cpuMs: 20_000, wallMs: 60_000 }

async function open(heapMb = 32) {
  const thread = await startThread({ entry: ENTRY, heapMb, youngMb: 2 })
  onTestFinished(async () => void (await thread.terminate()))
  return (task: Task, bounds: Partial<AskBounds> = {}, signal?: AbortSignal) =>
    ask<Task, string>(thread, task, { ...BOUNDS, ...bounds }, signal)
}

it('an answer comes with the CPU time that it took', async () => {
  const asked = await open()
  expect(await asked({ do: 'echo', text: 'a' })).toMatchObject({ answer: 'a' })
  const { answer, cpuMs } = await asked({ do: 'spin', ms: 150 })
  expect(answer).toBe('spun')
  expect(cpuMs).toBeGreaterThanOrEqual(150)
})

it('a question that takes more CPU time than it may have is told so, and how far it was', async () => {
  const asked = await open()
  const outcome = await asked({ do: 'spin forever' }, { cpuMs: 200 })
  expect(outcome).toMatchObject({ failure: 'cpu', progress: 1 })
  expect(outcome.cpuMs).toBeGreaterThan(200)
})

it('a thread that the host gave no time is starved, which is not the question’s doing', async () => {
  const asked = await open()
  expect(await asked({ do: 'wait', ms: 5_000 }, { cpuMs: 1_000, wallMs: 400 })).toMatchObject({
    failure: 'starved',
  })
})

it('time that a thread only waits does not count', async () => {
  const asked = await open()
  expect(await asked({ do: 'wait', ms: 600 }, { cpuMs: 200 })).toMatchObject({ answer: 'waited' })
})

it('memory, a throw and an end are told apart', async () => {
  expect(await (await open())({ do: 'fill the heap' })).toMatchObject({ failure: 'memory' })
  expect(await (await open())({ do: 'throw' })).toMatchObject({ failure: 'died' })
  expect(await (await open())({ do: 'exit' })).toMatchObject({ failure: 'died' })
})

it('an abort rejects with its reason', async () => {
  const asked = await open()
  const abort = new AbortController()
  const running = asked({ do: 'spin forever' }, {}, abort.signal)
  const reason = new Error('cancelled')
  setTimeout(() => abort.abort(reason), 20)
  await expect(running).rejects.toBe(reason)
  await expect(asked({ do: 'echo', text: '' }, {}, abort.signal)).rejects.toBe(reason)
})

it('a thread that does not get ready is an error that names it', async () => {
  const entry = new URL('./support/no-such-thread.ts', import.meta.url)
  await expect(startThread({ entry, heapMb: 32, youngMb: 2 })).rejects.toThrow(
    'the thread no-such-thread.ts did not start',
  )
  await expect(startThread({ entry: ENTRY, heapMb: 32, youngMb: 2, startMs: 1 })).rejects.toThrow(
    'took too long',
  )
})

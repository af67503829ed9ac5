import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { CheckLane, type LaneOptions } from '../src/check-lane.ts'
import type { ThreadRequest } from '../src/check-thread.ts'
import { startCheckThread } from '../src/start-check-thread.ts'

const BOUNDS: LaneOptions = { waiting: 10, waitMs: 60_000, cpuMs: 60_000 }
const PYTHON = { grammar: 'python', language: 'python' } as const
/** Answers any request after a second without work, as a thread does on a host that has no time for it. */
const STARVED = `const { parentPort: port } = require('node:worker_threads')
port.on('message', () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  port.postMessage({ answer: { value: [], cpuMs: 0 } })
})`
/** Never answers. */
const FOREVER = `require('node:worker_threads').parentPort.on('message', () => { for (;;); })`

function request(content = 'import os'): ThreadRequest {
  return { files: [{ path: 'main.py', content, encoding: 'utf8', kind: PYTHON }], rules: 'strict' }
}

/** A lane and the threads that it has started. */
function laneOf(start: () => Promise<Worker>, options: Partial<LaneOptions> = {}, kept = true) {
  const threads: Worker[] = []
  const lane = new CheckLane(
    { ...BOUNDS, ...options },
    {
      kept,
      start: async () => {
        const thread = await start()
        threads.push(thread)
        return thread
      },
    },
  )
  onTestFinished(() => lane.close())
  return { lane, threads }
}

const scripted = (script: string) => async () => new Worker(script, { eval: true })

it('a thread that dies while it has nothing to do is replaced by the next check', async () => {
  const { lane, threads } = laneOf(() => startCheckThread(64))
  await lane.open()
  await threads[0]?.terminate()
  const { reports } = await lane.run(request())
  expect(reports?.[0]?.findings.map(({ rule }) => rule)).toEqual(['python/import-os'])
  expect(threads).toHaveLength(2)
})

it('a thread that is not kept is started for a check and ended after it', async () => {
  const { lane, threads } = laneOf(() => startCheckThread(64), {}, false)
  await lane.run(request())
  await lane.run(request())
  expect(threads.map(({ threadId }) => threadId)).toEqual([-1, -1])
})

it('a host that cannot start a thread makes a check fail, not hang, and the next check tries again', async () => {
  let tries = 0
  const { lane } = laneOf(() =>
    tries++ === 0 ? Promise.reject(new Error('no memory')) : startCheckThread(64),
  )
  expect(await lane.run(request())).toEqual({ failure: 'unstarted' })
  expect(await lane.run(request())).toHaveProperty('reports')
})

it('a thread is bound by its own time: one that works too long is ended, one that starves is not', async () => {
  const starved = laneOf(scripted(STARVED), { cpuMs: 300 })
  expect(await starved.lane.run(request())).toEqual({ reports: [] })
  const busy = laneOf(scripted(FOREVER), { cpuMs: 300 })
  const started = performance.now()
  expect(await busy.lane.run(request())).toEqual({ failure: 'cpu' })
  expect(busy.threads[0]?.threadId).toBe(-1)
  expect(performance.now() - started).toBeGreaterThanOrEqual(300)
})

it('a starved thread does not hold its lane for good', async () => {
  const { lane } = laneOf(scripted(STARVED), { cpuMs: 50 })
  expect(await lane.run(request())).toEqual({ failure: 'starved' })
})

it('an abort ends the thread that works on what nobody wants any more', async () => {
  const { lane, threads } = laneOf(scripted(FOREVER))
  await lane.open()
  const abort = new AbortController()
  const running = lane.run(request(), abort.signal)
  const reason = new Error('cancelled')
  setImmediate(() => abort.abort(reason))
  await expect(running).rejects.toBe(reason)
  expect(threads[0]?.threadId).toBe(-1)
})

it('a check that fails says which of the files it was at', async () => {
  const { lane } = laneOf(() => startCheckThread(64), { cpuMs: 200 })
  const heavy = {
    path: 'heavy.py',
    content: 'a = b\n'.repeat(170_000),
    encoding: 'utf8',
    kind: PYTHON,
  } as const
  const { files, rules } = request()
  expect(await lane.run({ files: [...files, heavy], rules })).toEqual({ failure: 'cpu', at: 1 })
})

it('no check waits without bound', async () => {
  const { lane } = laneOf(scripted(FOREVER), { waitMs: 50 })
  const running = lane.run(request())
  expect(await lane.run(request())).toEqual({ failure: 'late' })
  await lane.close()
  expect(await running).toEqual({ failure: 'closed' })
})

it('the smallest of those that wait comes first', async () => {
  const { lane } = laneOf(() => startCheckThread(64))
  const order: number[] = []
  const sizes = [10, 3_000, 2_000, 20, 1_000]
  await Promise.all(
    sizes.map(async (size) => {
      await lane.run(request('#'.repeat(size)))
      order.push(size)
    }),
  )
  expect(order).toEqual([10, 20, 1_000, 2_000, 3_000])
})

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { type TaskOptions, ThreadPool, type ThreadPoolOptions } from '../src/index.ts'
import type { ThreadTask } from './support/task-thread.ts'

const ENTRY = new URL('./support/task-thread.ts', import.meta.url)
const BOUNDS = { cpuMs: 20_000, wallMs: 60_000 }
const FOREVER = { do: 'spin forever' } as const

function open(options: Partial<ThreadPoolOptions> = {}) {
  const pool = new ThreadPool<ThreadTask, string>({
    ...{ entry: ENTRY, task: 'threadTask', size: 1, keepsIdle: true, heapMb: 32, youngMb: 2 },
    ...options,
  })
  onTestFinished(() => pool.close())
  const run = (task: ThreadTask, bounds: Partial<TaskOptions> = {}) =>
    pool.run(task, { ...BOUNDS, ...bounds })
  const echo = async (text: string, bounds: Partial<TaskOptions> = {}) =>
    (await run({ do: 'echo', text }, bounds)).answer
  return { pool, run, echo }
}

it('ThreadPool returns an answer with the CPU time of its task', async () => {
  const { run, echo } = open()
  expect(await echo('a')).toBe('a')
  const { answer, cpuMs } = await run({ do: 'spin', ms: 150 })
  expect(answer).toBe('spun')
  expect(cpuMs).toBeGreaterThanOrEqual(150)
})

it('ThreadPool returns its own answer to each of many tasks', async () => {
  const { echo } = open({ size: 2 })
  const texts = Array.from({ length: 20 }, (_, n) => `${n}`)
  expect(await Promise.all(texts.map((text) => echo(text)))).toEqual(texts)
})

it('a task that hangs ends at its CPU bound with its progress, and the next one has a new thread', async () => {
  const { run, echo } = open()
  const outcome = await run(FOREVER, { cpuMs: 200 })
  expect(outcome).toMatchObject({ failure: 'cpu', progress: 1 })
  expect(outcome.cpuMs).toBeGreaterThan(200)
  expect(await echo('next')).toBe('next')
})

it('CPU time of earlier tasks, and time that a thread only waits, do not count', async () => {
  const { run } = open()
  await run({ do: 'spin', ms: 400 })
  expect(await run({ do: 'wait', ms: 600 }, { cpuMs: 300 })).toMatchObject({ answer: 'waited' })
})

it('a task whose thread got no CPU time fails as starved, not as slow', async () => {
  const { run } = open()
  expect(await run({ do: 'wait', ms: 5_000 }, { cpuMs: 1_000, wallMs: 400 })).toMatchObject({
    failure: 'starved',
  })
})

it('too much memory, a throw and an exit are distinct failures, and each replaces the thread', async () => {
  const { run } = open()
  const ids = [(await run({ do: 'own id' })).answer]
  for (const [task, failure] of [
    ['fill the heap', 'memory'],
    ['throw', 'died'],
    ['exit', 'died'],
  ] as const) {
    const waiting = run({ do: 'own id' }, { priority: -1 })
    expect(await run({ do: task })).toMatchObject({ failure })
    ids.push((await waiting).answer, (await run({ do: 'own id' })).answer)
  }
  expect(new Set(ids).size).toBe(4)
})

it('a failing task does not affect concurrent tasks', async () => {
  const { run } = open({ size: 2 })
  const [filled, spun] = await Promise.all([run({ do: 'fill the heap' }), run({ do: 'spin', ms: 500 })])
  expect([filled.failure, spun.answer]).toEqual(['memory', 'spun'])
})

it('idle threads stay or end according to the option keepsIdle', async () => {
  const id = async (run: ReturnType<typeof open>['run']) => (await run({ do: 'own id' })).answer
  const { run: kept } = open()
  expect(await id(kept)).toBe(await id(kept))
  const { run: fresh } = open({ keepsIdle: false })
  const first = await id(fresh)
  await sleep(50)
  expect(await id(fresh)).not.toBe(first)
})

it('the waiting task with the highest priority is next', async () => {
  const { run } = open()
  const done: number[] = []
  const first = run({ do: 'spin', ms: 100 })
  const waiting = [1, 3, 2].map(async (priority) => {
    await run({ do: 'echo', text: '' }, { priority })
    done.push(priority)
  })
  await Promise.all([first, ...waiting])
  expect(done).toEqual([3, 2, 1])
})

it('the queue is limited in length and time, and a task that exceeds either is not at fault', async () => {
  const { run } = open({ maxWaiting: 1 })
  const abort = new AbortController()
  const running = run(FOREVER, { signal: abort.signal }).catch((error) => error)
  const late = run({ do: 'echo', text: '' }, { waitMs: 50 })
  expect(await run({ do: 'echo', text: '' })).toMatchObject({ failure: 'busy' })
  expect(await late).toMatchObject({ failure: 'late', cpuMs: 0 })
  abort.abort(new Error('cancelled'))
  expect(await running).toBe(abort.signal.reason)
})

it('an abort ends a waiting or running task, and frees its thread', async () => {
  const { run, echo } = open()
  const { signal, abort } = cancellable()
  const open1 = [run(FOREVER, { signal }), run(FOREVER, { signal })]
  const after = echo('after')
  await sleep(300)
  const reason = abort()
  for (const task of open1) await expect(task).rejects.toBe(reason)
  expect(await after).toBe('after')
  await expect(echo('', { signal })).rejects.toBe(reason)
})

it('closing ends every open task and all threads', async () => {
  const { pool, run } = open()
  const tasks = [run(FOREVER), run(FOREVER)]
  await sleep(300)
  await pool.close()
  for (const task of tasks) expect(await task).toMatchObject({ failure: 'closed' })
  expect(await run({ do: 'own id' })).toMatchObject({ failure: 'closed' })
})

it('a thread that cannot start fails its task, with the cause, and the next task tries again', async () => {
  const { run } = open({ entry: new URL('./support/no-such-thread.ts', import.meta.url) })
  for (let tries = 0; tries < 2; tries++) {
    const outcome = await run({ do: 'own id' })
    expect(outcome).toMatchObject({ failure: 'unstarted' })
    expect(`${outcome.failure && outcome.cause}`).toContain('no-such-thread.ts')
  }
  const { run: hurried } = open({ entry: new URL('./support/slow-thread.ts', import.meta.url), startMs: 1 })
  expect(await hurried({ do: 'own id' })).toMatchObject({ failure: 'unstarted' })
})

function cancellable() {
  const controller = new AbortController()
  const abort = () => {
    controller.abort(new Error('cancelled'))
    return controller.signal.reason
  }
  return { signal: controller.signal, abort }
}

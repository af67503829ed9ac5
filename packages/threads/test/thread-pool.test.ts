import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { type Account, PoolClosedError, ThreadPool } from '../src/index.ts'
import { ENTRY, startThread, type Task } from './support/worker.ts'

const bounds = { cpuMs: 20_000, wallMs: 60_000 }

function poolOf(size: number, lightMs = 100) {
  const threads: Worker[] = []
  const start = async () => {
    const thread = await startThread({ entry: ENTRY, heapMb: 32, youngMb: 2 })
    threads.push(thread)
    return thread
  }
  const pool = new ThreadPool<Task, string>({ size, lightMs, start })
  onTestFinished(() => pool.close())
  const done: string[] = []
  /** Asks, and notes the name when there is an answer. */
  const run = async (name: string, task: Task, account: Account = accountOf(name), heavy = false) => {
    const outcome = await pool.run({ request: task, account, heavy, bounds })
    done.push(name)
    return outcome
  }
  return { pool, run, done, threads }
}

function accountOf(group: string): Account {
  return { group, cpuMs: 0 }
}

it('each request gets its own answer, and its account is charged', async () => {
  const { run } = poolOf(2)
  const account = accountOf('a')
  const texts = Array.from({ length: 20 }, (_, n) => `${n}`)
  const outcomes = await Promise.all(texts.map((text) => run(text, { do: 'echo', text }, account)))
  expect(outcomes.map(({ answer }) => answer)).toEqual(texts)
  await run('spin', { do: 'spin', ms: 50 }, account)
  expect(account.cpuMs).toBeGreaterThanOrEqual(50)
})

it('heavy requests leave a thread to light ones, however many there are', async () => {
  const { run, done } = poolOf(2)
  const heavy = Array.from({ length: 3 }, (_, n) =>
    run('heavy', { do: 'spin', ms: 300 }, accountOf(`${n}`), true),
  )
  const light = Array.from({ length: 5 }, (_, n) => run('light', { do: 'echo', text: `${n}` }))
  await Promise.all([...light, ...heavy])
  expect(done.slice(0, 5)).toEqual(Array(5).fill('light'))
})

it('an account that has used much is heavy by that', async () => {
  const { run, done } = poolOf(2, 50)
  const account = accountOf('busy')
  await run('first', { do: 'spin', ms: 100 }, account)
  const other = run('heavy', { do: 'spin', ms: 400 }, accountOf('x'), true)
  const busy = run('busy', { do: 'spin', ms: 100 }, account)
  await run('light', { do: 'echo', text: '' })
  await Promise.all([other, busy])
  expect(done).toEqual(['first', 'light', 'heavy', 'busy'])
})

it('of one account there is one request at a time, and groups take turns', async () => {
  const { run, done } = poolOf(2, 10_000)
  const one = accountOf('one')
  const many = Array.from({ length: 4 }, (_, n) => run(`one-${n}`, { do: 'spin', ms: 150 }, one))
  // The second thread is free, and stays so for the account that has one already.
  await run('two', { do: 'echo', text: '' })
  expect(done).toEqual(['two'])
  await Promise.all(many)

  const single = poolOf(1, 10_000)
  const jobs = ['a', 'a', 'a', 'b'].map((group, n) =>
    single.run(`${group}${n}`, { do: 'spin', ms: 100 }, accountOf(group)),
  )
  await Promise.all(jobs)
  expect(single.done).toEqual(['a0', 'a1', 'a2', 'b3'])
  const busy = { group: 'a', cpuMs: 100 }
  const turns = [run('x', { do: 'spin', ms: 50 }, busy), run('y', { do: 'echo', text: '' }, busy)]
  await Promise.all(turns)
})

it('the account that has used the least comes first', async () => {
  const { run, done } = poolOf(1)
  const first = run('first', { do: 'spin', ms: 100 })
  const busy = run('busy', { do: 'echo', text: '' }, { group: 'busy', cpuMs: 500 })
  const idle = run('idle', { do: 'echo', text: '' }, { group: 'idle', cpuMs: 5 })
  await Promise.all([first, busy, idle])
  expect(done).toEqual(['first', 'idle', 'busy'])
})

it('a thread that fails, or has served a heavy request, is replaced', async () => {
  const { run, threads } = poolOf(1)
  expect(await run('fails', { do: 'throw' })).toMatchObject({ failure: 'died' })
  expect(await run('fills', { do: 'fill the heap' })).toMatchObject({ failure: 'memory' })
  expect(await run('heavy', { do: 'echo', text: '' }, accountOf('h'), true)).toMatchObject({ answer: '' })
  expect(await run('light', { do: 'echo', text: '1' })).toMatchObject({ answer: '1' })
  expect(await run('light', { do: 'echo', text: '2' })).toMatchObject({ answer: '2' })
  expect(threads).toHaveLength(4)
  await threads.at(-1)?.terminate()
  expect(await run('light', { do: 'echo', text: '3' })).toMatchObject({ answer: '3' })
})

it('a host that cannot start a thread fails a request, not the pool', async () => {
  let tries = 0
  const start = () =>
    tries++ === 0
      ? Promise.reject(new Error('no memory'))
      : startThread({ entry: ENTRY, heapMb: 32, youngMb: 2 })
  const pool = new ThreadPool<Task, string>({ size: 1, lightMs: 100, start })
  onTestFinished(() => pool.close())
  const request = {
    request: { do: 'echo', text: 'a' },
    account: accountOf('a'),
    heavy: false,
    bounds,
  } as const
  expect(await pool.run(request)).toMatchObject({ failure: 'died' })
  expect(await pool.run(request)).toMatchObject({ answer: 'a' })
})

it('an abort takes a request out, whether it waits or runs, and frees its thread', async () => {
  const { pool, run } = poolOf(1)
  const abort = new AbortController()
  const request = { request: { do: 'spin forever' }, heavy: false, bounds, signal: abort.signal } as const
  const running = pool.run({ ...request, account: accountOf('a') })
  const waiting = pool.run({ ...request, account: accountOf('b') })
  const after = run('after', { do: 'echo', text: 'after' })
  await sleep(50)
  const reason = new Error('cancelled')
  abort.abort(reason)
  await Promise.all([running, waiting].map((open) => expect(open).rejects.toBe(reason)))
  expect(await after).toMatchObject({ answer: 'after' })
})

it('closing rejects all that is open', async () => {
  const { pool, threads } = poolOf(1)
  const request = { request: { do: 'spin forever' }, heavy: false, bounds } as const
  const open = [1, 2].map((n) => pool.run({ ...request, account: accountOf(`${n}`) }).catch((error) => error))
  await sleep(300)
  await pool.close()
  for (const error of await Promise.all(open)) expect(error).toBeInstanceOf(PoolClosedError)
  await expect(pool.run({ ...request, account: accountOf('3') })).rejects.toThrow(PoolClosedError)
  await expect.poll(() => threads.map(({ threadId }) => threadId)).toEqual([-1])
})

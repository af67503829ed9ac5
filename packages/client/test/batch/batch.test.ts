import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { BatchOptions, IsopodClient, Progress, Sample, SampleResult } from '../../src/index.ts'
import { echo, until, useBench } from '../harness.ts'
import { judge } from './programs.ts'

const bench = useBench()

/** Samples `<problem>/<n>` whose programs name their outcome. */
function samples(programs: Record<string, readonly string[]>): Sample[] {
  return Object.entries(programs).flatMap(([problem, codes]) =>
    codes.map((code, place) => ({ id: `${problem}/${place}`, problem, job: { code } })),
  )
}

/** Runs a batch to its end. */
async function runBatch(client: IsopodClient, options: BatchOptions) {
  const batch = client.batch(options)
  const results: SampleResult[] = []
  for await (const result of batch) results.push(result)
  return { results, summary: await batch.summary() }
}

test('a batch yields the outcome of each sample and a summary', async () => {
  const client = await bench.client()
  await bench.worker(judge)
  const given = samples({ a: ['pass', 'fail', 'fail', 'pass'], b: ['fail', 'fail', 'fail'], c: ['pass'] })
  const received: Progress[] = []
  const onProgress = (progress: Progress) => void received.push(progress)
  const { results, summary } = await runBatch(client, { samples: given, k: [1, 2], onProgress })
  expect(results.map(({ id, outcome }) => `${id} ${outcome}`).sort()).toEqual([
    'a/0 passed',
    'a/1 failed',
    'a/2 failed',
    'a/3 passed',
    'b/0 failed',
    'b/1 failed',
    'b/2 failed',
    'c/0 passed',
  ])
  expect(results.map(({ result, jobId }) => result?.id === jobId)).toEqual(given.map(() => true))
  expect(summary).toMatchObject({ samples: 8, problems: 3, solved: 2, flawless: 1, passed: 3, failed: 5 })
  expect(summary).toMatchObject({ skipped: 0, faults: 0, retriedFaults: 0 })
  expect(summary.passAt['1']).toMatchObject({ estimate: expect.closeTo(0.5), problems: 3 })
  // 1 - C(2,2)/C(4,2) = 5/6 of problem a, 0 of b; c has one sample and does not count.
  expect(summary.passAt['2']).toMatchObject({ estimate: expect.closeTo(5 / 12), problems: 2 })
  expect(received.at(-1)).toMatchObject({ done: 8, total: 8, etaSeconds: 0, passAt1: expect.closeTo(0.5) })
})

test('samples are pulled only as fast as results are taken', async () => {
  const client = await bench.client()
  await bench.worker(judge, 8)
  let pulled = 0
  const source = async function* (): AsyncGenerator<Sample> {
    for (let n = 0; n < 100; n++) {
      pulled += 1
      yield { id: `s${n}`, problem: 'p', job: { code: 'pass' } }
    }
  }
  const batch = client.batch({ samples: source(), inFlight: 8 })
  expect(pulled).toBe(0)
  let taken = 0
  let maxAhead = 0
  for await (const { outcome } of batch) {
    if (outcome === 'passed') taken += 1
    if (taken < 5) await sleep(50)
    maxAhead = Math.max(maxAhead, pulled - taken)
  }
  expect(taken).toBe(100)
  expect(maxAhead).toBeLessThanOrEqual(8 + 1)
})

test('a batch without an iteration is judged too', async () => {
  const client = await bench.client()
  await bench.worker(judge)
  const batch = client.batch({ samples: samples({ a: ['pass', 'fail'] }), total: 7 })
  expect(await batch.summary()).toMatchObject({ id: batch.id, passed: 1, failed: 1 })
  expect(batch.progress()).toMatchObject({ done: 2, total: 7 })
  expect(() => batch[Symbol.asyncIterator]()).toThrow(/iterated once/)
})

test('a batch with a used id judges new samples and yields earlier verdicts again', async () => {
  const client = await bench.client()
  const ran: string[] = []
  await bench.worker(async (delivery) => {
    ran.push(delivery.job.code)
    return judge(delivery)
  })
  const first = samples({ a: ['pass #1', 'fail #2'] })
  const more = [...first, ...samples({ b: ['pass #3'] })]
  const once = await runBatch(client, { id: 'again', samples: first })
  const twice = await runBatch(client, { id: 'again', samples: more, k: [1, 2] })
  expect(ran.sort()).toEqual(['fail #2', 'pass #1', 'pass #3'])
  expect(once.results.map(({ resumed }) => resumed)).toEqual([false, false])
  const byId = (results: readonly SampleResult[]) => new Map(results.map((each) => [each.id, each]))
  const again = byId(twice.results)
  for (const [id, result] of byId(once.results)) expect(again.get(id)).toEqual({ ...result, resumed: true })
  expect(again.get('b/0')).toMatchObject({ outcome: 'passed', resumed: false })
  expect(twice.summary).toMatchObject({ samples: 3, passed: 2, failed: 1 })
})

test('other samples or rules under a used id are refused, naming the difference', async () => {
  const client = await bench.client()
  await bench.worker(judge)
  const given = samples({ a: ['pass', 'fail'] })
  const run = (options: Partial<BatchOptions>) =>
    client.batch({ id: 'mine', samples: given, ...options }).summary()
  await run({})
  await expect(run({ samples: samples({ a: ['pass', 'other'] }) })).rejects.toThrow(
    /^samples\["a\/1"\]: .*differs/,
  )
  await expect(run({ samples: given.map((each) => ({ ...each, problem: 'x' })) })).rejects.toThrow(/differs/)
  await expect(run({ samples: given.slice(1) })).rejects.toThrow(/^samples: .*lacks "a\/0"/)
  await expect(run({ stopWhen: 'passed' })).rejects.toThrow(/^stopWhen: .*never, got passed/)
  expect(await run({ k: [2] })).toMatchObject({ passed: 1, passAt: { 2: { estimate: 1 } } })
})

test('a batch belongs to one producer: a second one is refused, and resumes the batch after the first has ended', async () => {
  const [one, other] = [await bench.client(), await bench.client()]
  const given = samples({ a: ['pass', 'hold'] })
  const release = Promise.withResolvers<void>()
  await bench.worker(async (delivery) => {
    if (delivery.job.code === 'hold') await release.promise
    return judge(delivery)
  })
  const first = one.batch({ id: 'shared', samples: given }).summary()
  await sleep(200)
  await expect(other.batch({ id: 'shared', samples: given }).summary()).rejects.toMatchObject({
    code: 'batch_busy',
  })
  release.resolve()
  const summary = await first
  expect(await other.batch({ id: 'shared', samples: given }).summary()).toEqual(summary)
})

test('an abort leaves jobs in flight, and the next run finds them', async () => {
  const client = await bench.client()
  const given = samples({ a: ['pass #1', 'pass #2', 'pass #3'] })
  const release = Promise.withResolvers<void>()
  const started: string[] = []
  await bench.worker(async (delivery, signal) => {
    started.push(delivery.job.code)
    await release.promise
    signal.throwIfAborted()
    return judge(delivery)
  })
  const controller = new AbortController()
  const stopped = client.batch({ id: 'paused', samples: given, signal: controller.signal }).summary()
  await until(() => started.length === 3)
  controller.abort(new Error('enough for today'))
  await expect(stopped).rejects.toThrow('enough for today')
  await sleep(200)
  release.resolve()
  const { summary } = await runBatch(client, { id: 'paused', samples: given })
  expect(summary).toMatchObject({ passed: 3 })
  expect(started.length).toBe(3)
})

test('a closing client releases its batch at once for the next producer', async () => {
  const [one, other] = [await bench.client(), await bench.client()]
  const release = Promise.withResolvers<void>()
  let started = 0
  await bench.worker(async (delivery) => {
    started += 1
    await release.promise
    return judge(delivery)
  })
  const options = { id: 'handed', samples: samples({ a: ['pass', 'fail'] }) }
  const first = one.batch(options).summary()
  const refusal = expect(first).rejects.toMatchObject({ code: 'unavailable' })
  await until(() => started === 2)
  await one.close()
  await refusal
  expect((await bench.keys()).filter((key) => key.endsWith(':lease') && key.includes(':batch:'))).toEqual([])
  release.resolve()
  expect(await other.batch(options).summary()).toMatchObject({ passed: 1, failed: 1, retriedFaults: 0 })
  expect(started).toBe(2)
})

test('leaving the loop over a batch without an id cancels its jobs in flight', async () => {
  const client = await bench.client()
  const aborted: unknown[] = []
  await bench.worker(async (delivery, signal) => {
    if (delivery.job.code === 'pass') return judge(delivery)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    aborted.push(delivery.id)
    throw signal.reason
  })
  const batch = client.batch({ samples: samples({ a: ['hold', 'hold', 'pass'] }) })
  for await (const { id } of batch) {
    expect(id).toBe('a/2')
    break
  }
  await expect(batch.summary()).rejects.toThrow(/left before its end/)
  await until(() => aborted.length === 2)
})

test('results of a batch go to a results queue only if the job names one', async () => {
  const client = await bench.client()
  await bench.worker(judge)
  const [a, b] = samples({ a: ['pass', 'pass'] })
  if (a === undefined || b === undefined) throw new Error('there should be two')
  const named: Sample = { ...b, job: { ...b.job, replyTo: 'mine' } }
  await client.batch({ id: 'quiet', samples: [a, named] }).summary()
  const keys = (await bench.keys()).filter((key) => key.includes(':results-'))
  expect(keys.filter((key) => key.includes(':results-mine:')).length).toBeGreaterThan(0)
  expect(keys.filter((key) => !key.includes(':results-mine:'))).toEqual([])
})

test('an invalid sample ends the batch, but a sample with invalid code fails alone', async () => {
  const client = await bench.client()
  await bench.worker(echo)
  const [good] = samples({ a: ['pass'] })
  if (good === undefined) throw new Error('there should be one')
  const run = (...more: unknown[]) => client.batch({ samples: [good, ...more] as Sample[] }).summary()
  await expect(run(good)).rejects.toThrow('samples["a/0"].id: must be unique in the batch')
  await expect(run({ ...good, id: 'b', job: { code: 'x', lim: 1 } })).rejects.toThrow(
    /^samples\["b"\]\.job.*unknown/,
  )
  await expect(run({ ...good, id: '' })).rejects.toThrow(/^samples\.id: must be text/)
  await expect(run({ ...good, id: 'c', job: { code: 'x', idempotencyKey: 'k' } })).rejects.toThrow(
    /idempotencyKey/,
  )
  await expect(run({ ...good, id: 'c', job: { code: 'x', batchId: 'k' } })).rejects.toThrow(/batchId/)
  await expect(run(null)).rejects.toThrow(/^samples\.id/)
  const { results, summary } = await runBatch(client, {
    samples: [good, { id: 'e', problem: 'a', job: { code: '' } }],
  })
  expect(summary).toMatchObject({ passed: 1, failed: 1 })
  expect(results.find(({ id }) => id === 'e')?.result).toMatchObject({
    status: 'validation_error',
    errorMessage: 'Code cannot be empty',
  })
})

test('an error of the sample source ends the batch', async () => {
  const client = await bench.client()
  await bench.worker(judge)
  const source = async function* (): AsyncGenerator<Sample> {
    yield { id: 'a', problem: 'a', job: { code: 'pass' } }
    throw new Error('line 2 is not JSON')
  }
  const batch = client.batch({ samples: source() })
  const taken: string[] = []
  const loop = async () => {
    for await (const { id } of batch) taken.push(id)
  }
  await expect(loop()).rejects.toThrow('line 2 is not JSON')
  await expect(batch.summary()).rejects.toThrow('line 2 is not JSON')
})

test('a source that also aborts the batch, or fails again when closed, does not hide the first error', async () => {
  const client = await bench.client()
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    const controller = new AbortController()
    const source: AsyncIterator<Sample> = {
      next: () => {
        controller.abort(new Error('enough for today'))
        return Promise.reject(new Error('and the file is gone'))
      },
      return: () => {
        throw new Error('nothing to close')
      },
    }
    const given = { [Symbol.asyncIterator]: () => source }
    const { signal } = controller
    await expect(client.batch({ samples: given, signal }).summary()).rejects.toThrow('enough for today')
    await sleep(10)
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})

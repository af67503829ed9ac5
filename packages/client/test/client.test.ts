import { type JobInput, resultSchema } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { connect } from '../src/index.ts'
import { echo, until, useBench } from './harness.ts'

const bench = useBench()

test('run resolves with the result of the job, which has the defaults', async () => {
  const client = await bench.client()
  await bench.worker()
  const result = await client.run({ code: 'print(7)', labels: { run: 'a' } })
  expect(resultSchema.parse(result)).toMatchObject({
    status: 'success',
    stdout: 'print(7)',
    labels: { run: 'a' },
  })
  expect(await client.result(result.id)).toEqual(result)
  expect(await client.wait(result.id)).toEqual(result)
  expect(await client.result('j-nope')).toBeUndefined()
})

test('run adds its result to a results queue only if the job names one', async () => {
  const client = await bench.client()
  await bench.worker()
  await client.run({ code: 'a' })
  await client.run({ code: 'b' }, { onEvent: () => {} })
  expect((await bench.keys()).filter((key) => key.includes(':results-'))).toEqual([])
  const { id } = await client.run({ code: 'c', replyTo: 'mine' })
  const queued = (await bench.keys()).filter((key) => key.includes(':results-') && key.includes(id))
  expect(queued).toEqual([`{${bench.prefix}}:results-mine:r-${id}`])
})

test('submit and run of the same job share an idempotency key', async () => {
  const client = await bench.client()
  const job = { code: 'a', idempotencyKey: 'k' }
  const id = await client.submit(job)
  await bench.worker()
  expect(await client.run(job)).toMatchObject({ id })
})

test('a file given as text reaches the worker like any other', async () => {
  const client = await bench.client()
  await bench.worker(async (delivery) => ({
    ...(await echo(delivery)),
    stdout: JSON.stringify(delivery.job.files),
  }))
  const { stdout } = await client.run({ code: 'x', files: { 'a.txt': 'text' } })
  expect(JSON.parse(stdout)).toEqual({ 'a.txt': { content: 'text', encoding: 'utf8' } })
})

test('invalid fields are refused by name, and nothing is sent', async () => {
  const client = await bench.client()
  const invalid: [unknown, RegExp][] = [
    [{ code: '' }, /^Code cannot be empty$/],
    [{ code: 'x', langauge: 'python' }, /^langauge: unknown field/],
    [{ code: 'x', limits: { timeoutSeconds: Number.NaN } }, /^limits\.timeoutSeconds: must be/],
    [null, /^job: must be an object, got null$/],
    [{ code: 'x', files: { '../x': { content: '' } } }, /^files\.\.\.\/x: must be a relative path/],
  ]
  for (const [job, message] of invalid) {
    await expect(client.submit(job as JobInput)).rejects.toThrow(message)
    await expect(client.run(job as JobInput)).rejects.toMatchObject({ code: 'invalid_job' })
    await expect(client.submitMany([{ code: 'ok' }, job as JobInput])).rejects.toThrow(/^jobs\[1\]/)
  }
  await expect(client.submitMany('x' as unknown as JobInput[])).rejects.toThrow(/^jobs: must be a list/)
  expect(await bench.keys()).toEqual([])
})

test('after the first worker, a language that no worker offers is refused with the list of languages', async () => {
  const client = await bench.client()
  expect(await client.languages()).toBeUndefined()
  await client.submit({ code: 'x', language: 'cobol' })
  const worker = await bench.worker()
  await worker.registerCatalogue([{ name: 'python', version: '3.13', aliases: ['py'] }])
  await client.submit({ code: 'x', language: 'py@3' })
  await expect(client.submit({ code: 'x', language: 'cobol' })).rejects.toThrow(
    'language: "cobol" is not supported; the supported languages are python@3.13',
  )
  await expect(client.submitMany([{ code: 'x' }, { code: 'x', language: 'cobol' }])).rejects.toThrow(
    /^jobs\[1\]\.language: "cobol"/,
  )
  // A catalogue that has just changed is asked for before a job is refused.
  await worker.registerCatalogue([{ name: 'cobol', version: '1', aliases: [] }])
  await client.submit({ code: 'x', language: 'cobol' })
})

test('1200 jobs in one call have one result each in the results queue', async () => {
  const client = await bench.client()
  const ids = await client.submitMany(
    Array.from({ length: 1200 }, (_, n) => ({ code: `${n}`, replyTo: 'many' })),
  )
  expect(new Set(ids).size).toBe(1200)
  const seen: string[] = []
  client.results(
    async ({ id, stdout }) => {
      expect(ids[Number(stdout)]).toBe(id)
      seen.push(id)
    },
    { replyTo: 'many', concurrency: 50 },
  )
  await bench.worker(echo, 50)
  await until(() => seen.length >= 1200)
  expect([...seen].sort()).toEqual([...ids].sort())
})

test('an abort cancels the running job and rejects with the reason', async () => {
  const client = await bench.client()
  let aborted = false
  const worker = await bench.worker(async (_, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    aborted = true
    throw signal.reason
  })
  const controller = new AbortController()
  const running = client.run({ code: 'x' }, { signal: controller.signal })
  await until(async () => (await worker.stats()).active === 1)
  const reason = new Error('the user left')
  controller.abort(reason)
  await expect(running).rejects.toBe(reason)
  await until(() => aborted)
})

test('an abort cancels a waiting job without a run', async () => {
  const client = await bench.client()
  const controller = new AbortController()
  const running = client.run({ code: 'x' }, { signal: controller.signal })
  await until(async () => (await bench.keys()).some((key) => key.includes(':jobs:j-')))
  controller.abort()
  await expect(running).rejects.toMatchObject({ name: 'AbortError' })
  expect((await bench.keys()).filter((key) => key.includes(':jobs:j-'))).toEqual([])
})

test('REDIS_URL names the Redis, and a second close has no effect', async () => {
  const before = process.env['REDIS_URL']
  process.env['REDIS_URL'] = bench.url
  try {
    const client = await connect({ prefix: bench.prefix })
    await Promise.all([client.close(), client.close()])
    await client.close()
  } finally {
    if (before === undefined) delete process.env['REDIS_URL']
    else process.env['REDIS_URL'] = before
  }
})

test('invalid options of a results consumer are refused by name', async () => {
  const client = await bench.client()
  expect(() => client.results(async () => {}, { replyTo: 'a:b' })).toThrow(/^replyTo: must be/)
  expect(() => client.results(async () => {}, { concurrency: 0 })).toThrow(/^concurrency: must be/)
})

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../src/index.ts'
import { echo, useBench } from './harness.ts'

const bench = useBench()

/** A client, and how often it said that no worker is running. */
async function connectCounting() {
  let said = 0
  const onNoWorker = () => {
    said += 1
  }
  const client = await connect({ url: bench.url, prefix: bench.prefix, onNoWorker })
  onTestFinished(() => client.close())
  return { client, said: () => said }
}

// promise: no-worker
test('run and wait reject with NoWorkerError if no worker lives, also after workers that are gone', async () => {
  const { client, said } = await connectCounting()
  const worker = await bench.worker()
  await worker.registerCatalogue([{ name: 'python', version: '3.13', aliases: [] }])
  await client.run({ code: 'x' })
  await worker.close()
  const job = { code: 'y', idempotencyKey: 'k' }
  await expect(client.run(job, { workerTimeoutSeconds: 0.3 })).rejects.toMatchObject({ code: 'no_worker' })
  expect(await client.run(job)).toMatchObject({ status: 'cancelled', attributable: false })
  const id = await client.submit({ code: 'z' })
  await expect(client.wait(id, { workerTimeoutSeconds: 0.3 })).rejects.toMatchObject({
    code: 'no_worker',
    message: 'no worker was running for 0.3 s, so the job could not start',
  })
  expect(await client.state(id)).toBe('waiting')
  expect(said()).toBe(1)
})

test('a wait for a busy worker does not end', async () => {
  const { client, said } = await connectCounting()
  await bench.worker(async (delivery) => {
    await sleep(1000)
    return echo(delivery)
  })
  const options = { workerTimeoutSeconds: 0.2 }
  expect(await client.run({ code: 'x' }, options)).toMatchObject({ status: 'success' })
  expect(await client.run({ code: 'x' }, { ...options, onEvent: () => {} })).toMatchObject({ stdout: 'x' })
  expect(said()).toBe(0)
})

test.each([0, -1, Number.NaN])(
  'workerTimeoutSeconds %d is refused before anything is sent',
  async (seconds) => {
    const { client } = await connectCounting()
    const refusal = {
      code: 'config',
      message: `workerTimeoutSeconds: must be a number above 0, got ${seconds}`,
    }
    await expect(client.run({ code: 'x' }, { workerTimeoutSeconds: seconds })).rejects.toMatchObject(refusal)
    await expect(client.wait('j-1', { workerTimeoutSeconds: seconds })).rejects.toMatchObject(refusal)
    expect(await bench.keys()).toEqual([])
  },
)

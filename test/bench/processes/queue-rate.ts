// One process with producer, worker and consumer: `queue-rate.ts KIND URL PREFIX JOBS CONCURRENCY`. KIND is `bullmq`, or
// for Isopod's queue `isopod`, `tenants` (jobs of 100 tenants) or `without-turns` (jobs that are no tenant's turn). Prints one JSON
// object: seconds until the last result is received, from the worker's start with all jobs waiting, and from the first submit.
import { parseJob } from '@isopod/protocol'
import { newJobId, openConsumer, openProducer, unexecutedJobResult } from '@isopod/queue'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'

const [kind, url = '', prefix = '', jobsText, concurrencyText] = process.argv.slice(2)
const jobs = Number(jobsText)
const concurrency = Number(concurrencyText)
const times = kind === 'bullmq' ? await withBullmq() : await withIsopod()
console.log(JSON.stringify(times))
process.exit(0)

interface Times {
  readonly fromStart: number
  readonly fromSubmit: number
}

/** Plain BullMQ: empty jobs and an empty processor. */
async function withBullmq(): Promise<Times> {
  const connection = new Redis(url.replace(/^redis\+unix:\/\//, ''), { maxRetriesPerRequest: null })
  const queue = new Queue('jobs', { connection, prefix: `{${prefix}}` })
  await queue.waitUntilReady()
  const worker = new Worker('jobs', async () => {}, {
    connection,
    prefix: `{${prefix}}`,
    concurrency,
    autorun: false,
  })
  const over = Promise.withResolvers<void>()
  let done = 0
  worker.on('completed', () => {
    done += 1
    if (done === jobs) over.resolve()
  })
  const job = { name: 'job', data: {}, opts: { removeOnComplete: true } }
  const submitted = performance.now()
  for (let at = 0; at < jobs; at += 500) {
    await queue.addBulk(Array.from({ length: Math.min(500, jobs - at) }, () => job))
  }
  const started = performance.now()
  void worker.run()
  await over.promise
  return since(submitted, started)
}

/** Isopod's queue: validated jobs, an empty handler, publication, results queue and its consumer. */
async function withIsopod(): Promise<Times> {
  const producer = await openProducer({ url, prefix })
  const consumer = await openConsumer({ url, prefix, workerId: 'bench' })
  const over = Promise.withResolvers<void>()
  let done = 0
  producer.results(
    'default',
    async () => {
      done += 1
      if (done === jobs) over.resolve()
    },
    { concurrency },
  )
  const tenants = kind === 'tenants' ? 100 : 1
  const entries = Array.from({ length: jobs }, (_, at) => ({
    id: newJobId(),
    job: parseJob({ code: 'print("hello")', tenant: `tenant-${at % tenants}` }),
  }))
  const submitted = performance.now()
  if (kind === 'without-turns') await addWithoutTurns(entries)
  else await producer.enqueue(entries)
  const started = performance.now()
  consumer.run({
    concurrency,
    handle: async ({ id, job: taken, attempt }) => ({
      ...unexecutedJobResult({
        id,
        job: taken,
        status: 'setup_error',
        errorMessage: '',
        attempt,
        workerId: 'bench',
      }),
      status: 'success',
      errorMessage: null,
      attributable: true,
    }),
    giveUp: ({ id, attempt }, cause) =>
      unexecutedJobResult({
        id,
        status: 'setup_error',
        errorMessage: cause.message,
        attempt,
        workerId: 'bench',
      }),
  })
  await over.promise
  return since(submitted, started)
}

/** Adds jobs as the producer does, except that they take no turns. */
async function addWithoutTurns(entries: readonly { id: string; job: unknown }[]): Promise<void> {
  const connection = new Redis(url.replace(/^redis\+unix:\/\//, ''), { maxRetriesPerRequest: null })
  const queue = new Queue('jobs', { connection, prefix: `{${prefix}}` })
  for (let at = 0; at < entries.length; at += 500) {
    const batch = entries.slice(at, at + 500).map(({ id, job }) => ({
      name: 'execute',
      data: job,
      opts: {
        jobId: id,
        attempts: 6,
        backoff: { type: 'exponential', delay: 500 },
        removeOnComplete: true,
        stackTraceLimit: 1,
      },
    }))
    await queue.addBulk(batch)
  }
}

function since(submitted: number, started: number): Times {
  const now = performance.now()
  return { fromStart: (now - started) / 1000, fromSubmit: (now - submitted) / 1000 }
}

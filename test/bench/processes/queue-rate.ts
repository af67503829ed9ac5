// One process with producer, worker and consumer: `queue-rate.ts bullmq|isopod URL PREFIX JOBS CONCURRENCY`. Prints one JSON
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
  const job = parseJob({ code: 'print("hello")' })
  const entries = Array.from({ length: jobs }, () => ({ id: newJobId(), job }))
  const submitted = performance.now()
  await producer.enqueue(entries)
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

function since(submitted: number, started: number): Times {
  const now = performance.now()
  return { fromStart: (now - started) / 1000, fromSubmit: (now - submitted) / 1000 }
}

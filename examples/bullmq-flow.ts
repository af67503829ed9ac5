import { type ConnectOptions, connect } from '@isopod/client'
import { type ConnectionOptions, FlowProducer, QueueEvents, Worker } from 'bullmq'

/** Options of the flow: a Redis for its own queues, and Isopod's. */
export interface FlowOptions {
  readonly connection: ConnectionOptions
  readonly prefix: string
  readonly isopod: ConnectOptions
}

/**
 * Runs one program for each chunk of numbers at the same time, and adds up their outputs.
 *
 * Each child of the flow is a job of the flow's own queue, whose processor calls `isopod.run`. The parent starts when all of its
 * children are done. A platform fault rejects `run`, and BullMQ retries that child.
 */
export async function sumOfChunks(chunks: readonly number[][], options: FlowOptions): Promise<number> {
  const { connection, prefix } = options
  const isopod = await connect(options.isopod)
  const square = new Worker<number[], number>(
    'square',
    async ({ data }) => {
      const { status, stdout, errorMessage } = await isopod.run({
        language: 'python',
        code: 'print(sum(n * n for n in input_data))',
        inputData: data,
        replyTo: 'none',
      })
      if (status !== 'success') throw new Error(`${status}: ${errorMessage}`)
      return Number(stdout)
    },
    { connection, prefix, concurrency: 4 },
  )
  const add = new Worker<unknown, number>(
    'add',
    async (job) => {
      const parts: number[] = Object.values(await job.getChildrenValues())
      return parts.reduce((sum, part) => sum + part, 0)
    },
    { connection, prefix },
  )
  const flows = new FlowProducer({ connection, prefix })
  const events = new QueueEvents('add', { connection, prefix })
  try {
    await events.waitUntilReady()
    const flow = await flows.add({
      name: 'add',
      queueName: 'add',
      children: chunks.map((data) => ({ name: 'square', queueName: 'square', data, opts: { attempts: 3 } })),
    })
    return await flow.job.waitUntilFinished(events, 60_000)
  } finally {
    await Promise.all([square.close(), add.close(), flows.close(), events.close(), isopod.close()])
  }
}

import { Queue } from 'bullmq'
import { connectRedis } from '../redis/connect-redis.ts'
import { Keys } from '../redis/keys.ts'
import { JOBS_QUEUE, type QueueOptions, resolveOptions } from '../redis/queue-options.ts'

/** BullMQ's own view of the jobs queue, for read-only boards. Writes through it bypass Isopod's guarantees. */
export interface JobsBoard {
  readonly queue: Queue
  close(): Promise<void>
}

/**
 * Opens BullMQ's own view of the jobs queue.
 *
 * @throws {UnavailableError} within 5 s if Redis does not answer, is too old, or may evict keys
 * @throws {ConfigError} naming the option
 */
export async function openJobsBoard(options: QueueOptions): Promise<JobsBoard> {
  const resolved = resolveOptions(options)
  const { redis } = await connectRedis(resolved, 'fail')
  const queue = new Queue(JOBS_QUEUE, {
    connection: redis,
    prefix: new Keys(resolved.prefix).tag,
    // Read-only: do not write version and settings into the queue's hash.
    skipMetasUpdate: true,
  })
  queue.on('error', () => {})
  return {
    queue,
    async close() {
      await queue.close().catch(() => {})
      redis.disconnect()
    },
  }
}

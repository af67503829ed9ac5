import { fileURLToPath } from 'node:url'
import type { Bench, BenchCase } from '../bench.ts'
import { runProcess } from '../contenders/spawned.ts'
import { NAMES } from '../names.ts'
import { interleave } from '../rounds.ts'
import { removeKeys, untilRedisIdle } from '../stage.ts'

const SCRIPT = fileURLToPath(new URL('../processes/queue-rate.ts', import.meta.url))
/** Number of concurrent jobs, the same for all contenders. */
const CONCURRENCY = 32

/**
 * The queue without a sandbox, compared with BullMQ with an empty processor. Each runs producer, worker and consumer in one
 * process.
 */
export const queueAlone: BenchCase = {
  name: 'queue-alone',
  title: 'the queue with a handler that does nothing, publication, results queue and consumer included',
  async run(bench) {
    await compareQueues(bench, 'queue-alone', { [NAMES.bullmq]: 'bullmq', [NAMES.queue]: 'isopod' })
  },
}

/** Measures kinds of queues without a sandbox. @param kinds contender → kind, as queue-rate.ts has it */
export async function compareQueues(
  bench: Bench,
  name: string,
  kinds: Readonly<Record<string, string>>,
): Promise<void> {
  const { stage, book } = bench
  const jobs = bench.size(10_000, 3000)
  const entrants = Object.entries(kinds).map(([contender, kind]) => ({
    name: contender,
    block: async (round: number) => {
      await untilRedisIdle(stage.stack.redis.url)
      const prefix = stage.prefix(`queue-${kind}-${round}`)
      const words = [SCRIPT, kind, stage.stack.redis.url, prefix, String(jobs), String(CONCURRENCY)]
      const printed = await runProcess([process.execPath, ...words], '', process.env)
      const { fromStart, fromSubmit } = JSON.parse(printed) as { fromStart: number; fromSubmit: number }
      const place = { case: name, contender, unit: '/s' } as const
      book.add({ ...place, metric: 'rate' }, jobs / fromStart)
      book.add({ ...place, metric: 'rate, submission included' }, jobs / fromSubmit)
      await removeKeys(stage.stack.redis.url, [prefix])
    },
  }))
  await interleave(bench, name, bench.size(7, 3), entrants)
  book.note(
    `The queue alone (${name}): ${jobs} jobs wait, ${CONCURRENCY} at once; the rate is from the worker's start on.`,
  )
}

import type { BenchCase } from '../bench.ts'
import { interleave } from '../rounds.ts'
import type { StartedWorker } from '../stage.ts'
import { passJobs, startSimulated } from './simulated.ts'

const SANDBOX_MS = 50
const SLOTS = 4

/** 1, 2 and 4 worker processes on one queue, with executions simulated by 50 ms of waiting. */
export const workers: BenchCase = {
  name: 'workers',
  title: `1, 2 and 4 workers of ${SLOTS} slots with a simulated sandbox of ${SANDBOX_MS} ms, by the second`,
  async run(bench) {
    const { stage, book } = bench
    const prefixes = new Map<number, string>()
    const started: StartedWorker[] = []
    const entrants = [1, 2, 4].map((count) => ({
      name: count === 1 ? '1 worker' : `${count} workers`,
      block: async () => {
        const prefix = prefixes.get(count) ?? stage.prefix(`workers-${count}`)
        const client = await stage.connect(prefix)
        if (!prefixes.has(count)) {
          const start = () => startSimulated(stage, prefix, SANDBOX_MS, SLOTS)
          started.push(...(await Promise.all(Array.from({ length: count }, start))))
          prefixes.set(count, prefix)
          await passJobs(client, 100, 1000)
        }
        // More workers get more jobs, so that each measurement takes equally long.
        const jobs = count * bench.size(480, 120)
        const startedAt = performance.now()
        await passJobs(client, jobs, 4000)
        const seconds = (performance.now() - startedAt) / 1000
        const contender = count === 1 ? '1 worker' : `${count} workers`
        book.add({ case: 'workers', contender, metric: 'rate', unit: '/s' }, jobs / seconds)
      },
    }))
    await interleave(bench, 'workers', bench.size(5, 2), entrants)
    await Promise.all(started.map((worker) => worker.stop()))
    const ideal = (SLOTS * 1000) / SANDBOX_MS
    book.note(
      `Workers: ${SLOTS} slots of ${SANDBOX_MS} ms allow one worker ${ideal} jobs per second at most.`,
    )
  },
}

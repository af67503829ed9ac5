import { fileURLToPath } from 'node:url'
import type { BenchCase } from '../bench.ts'
import { runProcess } from '../contenders/spawned.ts'
import { NAMES } from '../names.ts'
import { interleave } from '../rounds.ts'
import { removeKeys, untilRedisIdle } from '../stage.ts'

const SCRIPT = fileURLToPath(new URL('../processes/large-outputs.ts', import.meta.url))

/** What large outputs cost Redis, stored apart and as part of their results. */
export const largeOutputs: BenchCase = {
  name: 'large-outputs',
  title: 'results with outputs of 10 MiB in Redis, without a sandbox',
  async run(bench) {
    const { stage, book } = bench
    const results = bench.size(50, 10)
    const kinds = { [NAMES.wholeResults]: 'whole', [NAMES.queue]: 'apart' }
    const entrants = Object.entries(kinds).map(([contender, kind]) => ({
      name: contender,
      block: async (round: number) => {
        const { url } = stage.stack.redis
        await untilRedisIdle(url)
        const prefix = stage.prefix(`large-${kind}-${round}`)
        const words = [SCRIPT, kind, url, prefix, String(results)]
        const printed = await runProcess([process.execPath, ...words], '', process.env)
        const { bytes, pause, seconds } = JSON.parse(printed) as Record<'bytes' | 'pause' | 'seconds', number>
        const place = { case: 'large-outputs', contender } as const
        book.add({ ...place, metric: 'memory of Redis', unit: 'MB' }, bytes / 1e6)
        book.add({ ...place, metric: 'longest pause of Redis', unit: 'ms' }, pause * 1000)
        book.add({ ...place, metric: 'time', unit: 'ms' }, seconds * 1000)
        await removeKeys(url, [prefix])
      },
    }))
    await interleave(bench, 'large-outputs', bench.size(3, 1), entrants)
    book.note(
      `Large outputs (large-outputs): ${results} results of 10 MiB in a results queue, 4 jobs at once.`,
    )
  },
}

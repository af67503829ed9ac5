import { readFile } from 'node:fs/promises'
import type { Bench, BenchCase } from '../bench.ts'
import { interleave } from '../rounds.ts'

/** From the start of a worker's process until it takes jobs. */
export const coldStart: BenchCase = {
  name: 'cold-start',
  title: 'a worker from the start of its process until it takes jobs, with and without its self-test',
  async run(bench) {
    const kinds = { 'without self-test': 'false', 'with self-test': 'true' }
    const rounds = bench.size(5, 1)
    const entrants = Object.entries(kinds).map(([name, selfTest]) => ({
      name,
      block: (round: number) => start(bench, name, round, selfTest),
    }))
    await interleave(bench, 'cold-start', rounds, entrants)
  },
}

async function start(bench: Bench, contender: string, round: number, selfTest: string): Promise<void> {
  const prefix = bench.stage.prefix(`cold-${selfTest}-${round}`)
  const startedAt = Date.now()
  const worker = await bench.stage.startWorker(prefix, { ISOPOD_SELF_TEST: selfTest })
  try {
    const ms = (await takingSince(worker.log)) - startedAt
    bench.book.add({ case: 'cold-start', contender, metric: 'time', unit: 'ms' }, ms)
  } finally {
    await worker.stop()
  }
}

/** Epoch milliseconds at which the worker began to take jobs, from its log, because `/readyz` is polled too rarely. */
async function takingSince(log: string): Promise<number> {
  const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line.includes('"taking jobs"'))
  const { time } = JSON.parse(lines[0] ?? '{}') as { time?: string | number }
  if (time === undefined) throw new Error('the log of the worker does not say when it took jobs')
  return new Date(time).getTime()
}

import type { BenchCase } from '../bench.ts'
import { residentMb } from '../measure/processor.ts'
import { median } from '../measure/statistics.ts'
import { LATE_GROWTH, NAMES } from '../names.ts'
import { interleave } from '../rounds.ts'
import { passJobs, startSimulated } from './simulated.ts'

/** Number of jobs between two readings. */
const JOBS_PER_READING = 100
const JOBS = 20_000

/** Resident memory of a worker: after its start with the real sandbox, and during many jobs with a simulated one. */
export const workerMemory: BenchCase = {
  name: 'worker-memory',
  title: `resident memory of a worker at its start, and over ${JOBS.toLocaleString('en')} jobs with a simulated sandbox`,
  async run(bench) {
    const { stage, book } = bench
    const place = { case: 'worker-memory', contender: NAMES.worker, unit: 'MB' } as const
    const block = async () => {
      const real = await stage.startWorker(stage.prefix('memory-real'))
      const { pid } = real.process
      book.add({ ...place, metric: 'RSS at start' }, residentMb(pid))
      book.add({ ...place, metric: 'RSS at start, anonymous' }, residentMb(pid, 'RssAnon'))
      await real.stop()

      const prefix = stage.prefix('memory')
      const worker = await startSimulated(stage, prefix, 0, 4)
      const seen: number[] = []
      await passJobs(await stage.connect(prefix), bench.size(JOBS, JOBS / 10), 2000, (done) => {
        if (done % JOBS_PER_READING === 0) seen.push(residentMb(worker.process.pid))
      })
      await worker.stop()
      book.add({ ...place, metric: 'RSS, highest' }, Math.max(...seen))
      if (bench.quick)
        return book.note('Memory over 20,000 jobs is measured by a full run only; a quick one has 2,000.')
      const { late, half } = growth(seen)
      book.add({ ...place, metric: LATE_GROWTH }, late)
      book.add({ ...place, metric: 'RSS, last 10,000 jobs above first 10,000' }, half)
    }
    await interleave(bench, 'worker-memory', 1, [{ name: NAMES.worker, block }])
  },
}

/**
 * Growth between the medians of parts of the readings: from the third to the fourth quarter, and from the first to the second
 * half.
 */
export function growth(readings: readonly number[]): { readonly late: number; readonly half: number } {
  const part = (nth: number, of: number) =>
    median(readings.slice((nth * readings.length) / of, ((nth + 1) * readings.length) / of))
  return { late: part(3, 4) - part(2, 4), half: part(1, 2) - part(0, 2) }
}

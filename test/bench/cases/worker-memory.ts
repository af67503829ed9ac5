import type { BenchCase } from '../bench.ts'
import { residentMb } from '../measure/processor.ts'
import { NAMES } from '../report/targets.ts'
import { interleave } from '../rounds.ts'
import { passJobs, startSimulated } from './simulated.ts'

/** Jobs between two looks. */
const LOOK_JOBS = 100
const JOBS = 20_000

/** Resident memory of a worker: after its start with the real sandbox, and over many jobs with a simulated one. */
export const workerMemory: BenchCase = {
  name: 'worker-memory',
  title: `resident memory of a worker at its start, and over ${JOBS.toLocaleString('en')} jobs with a simulated sandbox`,
  async run(bench) {
    const { stage, book } = bench
    const place = { case: 'worker-memory', contender: NAMES.worker, unit: 'MB' } as const
    const block = async () => {
      const real = await stage.startWorker(stage.prefix('memory-real'))
      book.add({ ...place, metric: 'RSS at start' }, residentMb(real.process.pid) ?? Number.NaN)
      await real.stop()

      const prefix = stage.prefix('memory')
      const worker = await startSimulated(stage, prefix, 0, 4)
      const seen: number[] = []
      await passJobs(await stage.connect(prefix), bench.size(JOBS, JOBS / 10), 2000, (done) => {
        if (done % LOOK_JOBS === 0) seen.push(residentMb(worker.process.pid) ?? Number.NaN)
      })
      await worker.stop()
      book.add({ ...place, metric: 'RSS, highest' }, Math.max(...seen))
      if (bench.quick)
        return book.note('Memory over 20,000 jobs is measured by a full run only; a quick one has 2,000.')
      const quarter = (nth: number) =>
        middle(seen.slice((nth * seen.length) / 4, ((nth + 1) * seen.length) / 4))
      book.add(
        { ...place, metric: 'RSS, jobs 15,001 to 20,000 above 10,001 to 15,000' },
        quarter(3) - quarter(2),
      )
      book.add(
        { ...place, metric: 'RSS, last 10,000 jobs above first 10,000' },
        (quarter(3) + quarter(2) - quarter(1) - quarter(0)) / 2,
      )
    }
    await interleave(bench, 'worker-memory', 1, [{ name: NAMES.worker, block }])
  },
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

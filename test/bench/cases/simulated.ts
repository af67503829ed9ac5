import { fileURLToPath } from 'node:url'
import type { IsopodClient, Result } from '@isopod/client'
import { SIMULATED_DIGEST } from '@isopod/sandbox/simulated'
import type { Stage, StartedWorker } from '../stage.ts'

/** Starts a worker whose containers are simulated. */
export const SIMULATED_LAUNCHER = fileURLToPath(
  new URL('../processes/launch-simulated-worker.mjs', import.meta.url),
)
const QUEUE = 'bench'

/** Starts a real worker process with simulated programs. */
export async function startSimulated(
  stage: Stage,
  prefix: string,
  ms: number,
  slots: number,
): Promise<StartedWorker> {
  return await stage.startWorker(prefix, simulatedSettings(ms, slots), SIMULATED_LAUNCHER)
}

/** Settings of a simulated worker: its slots and the duration of each job. */
export function simulatedSettings(ms: number, slots: number): NodeJS.ProcessEnv {
  return { BENCH_SANDBOX_MS: String(ms), ISOPOD_SLOTS: String(slots) }
}

/**
 * Submits jobs and consumes their results from a results queue, with a bounded number of unfinished jobs.
 *
 * @param onDone called with the number of received results
 */
export async function passJobs(
  client: IsopodClient,
  jobs: number,
  bound: number,
  onDone: (done: number) => void = () => {},
): Promise<void> {
  const over = Promise.withResolvers<void>()
  let done = 0
  let submitted = 0
  const submit = async () => {
    const count = Math.min(500, jobs - submitted)
    submitted += count
    await client.submitMany(
      Array.from({ length: count }, () => ({ language: 'python', code: 'print("hello")', replyTo: QUEUE })),
    )
  }
  const take = async (result: Result) => {
    if (result.status !== 'success' || result.imageDigest !== SIMULATED_DIGEST) {
      over.reject(
        new Error(
          `a job did not run in the simulated sandbox: ${result.status} ${result.errorMessage ?? ''}`,
        ),
      )
    }
    done += 1
    onDone(done)
    if (done === jobs) over.resolve()
    else if (submitted < jobs && submitted - done <= bound - 500) submit().catch(over.reject)
  }
  const taker = client.results(take, { replyTo: QUEUE, concurrency: 32 })
  try {
    while (submitted < Math.min(jobs, bound)) await submit()
    await over.promise
  } finally {
    await taker.close()
  }
}

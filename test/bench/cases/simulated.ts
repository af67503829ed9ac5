import type { IsopodClient, Result } from '@isopod/client'
import type { Stage, StartedWorker } from '../stage.ts'

const HOOK = new URL('../processes/simulate-sandbox.ts', import.meta.url).href
const SIMULATED = 'simulated'
const QUEUE = 'bench'

/** A real worker process whose sandbox only takes its time. */
export function startSimulated(
  stage: Stage,
  prefix: string,
  ms: number,
  slots: number,
): Promise<StartedWorker> {
  return stage.startWorker(prefix, {
    NODE_OPTIONS: `--import=${HOOK}`,
    BENCH_SANDBOX_MS: String(ms),
    ISOPOD_SLOTS: String(slots),
  })
}

/**
 * Submits jobs and takes their results off a results queue, with a bound on those that are under way.
 *
 * @param onDone called with the number of results that have come
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
    if (result.status !== 'success' || result.imageDigest !== SIMULATED) {
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

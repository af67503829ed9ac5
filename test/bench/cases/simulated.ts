import { readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { IsopodClient, Result } from '@isopod/client'
import type { Stage, StartedWorker } from '../stage.ts'

/** The hook, and the module that it puts in the place of the worker's own. */
const MODULES = ['simulate-sandbox', 'simulated-sandbox'] as const
const SIMULATED = 'simulated'
const QUEUE = 'bench'

/** A real worker process whose sandbox only takes its time. */
export async function startSimulated(
  stage: Stage,
  prefix: string,
  ms: number,
  slots: number,
): Promise<StartedWorker> {
  return await stage.startWorker(prefix, await simulatedSettings(stage.folder, ms, slots))
}

/**
 * Settings of such a worker: so many jobs at once, each of which takes so long.
 *
 * @param folder where its modules are laid
 */
export async function simulatedSettings(
  folder: string,
  ms: number,
  slots: number,
): Promise<NodeJS.ProcessEnv> {
  for (const name of MODULES) {
    // Stripped here: a worker that did it itself would be measured with a compiler in its memory.
    const source = await readFile(new URL(`../processes/${name}.ts`, import.meta.url), 'utf8')
    await writeFile(join(folder, `${name}.mjs`), stripTypeScriptTypes(source))
  }
  return {
    NODE_OPTIONS: `--import=${pathToFileURL(join(folder, `${MODULES[0]}.mjs`)).href}`,
    BENCH_SANDBOX_MS: String(ms),
    ISOPOD_SLOTS: String(slots),
  }
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

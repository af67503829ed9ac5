import type { Stack } from '@isopod/devstack'
import type { Result } from '@isopod/protocol'
import { EXIT, type ExitCode, UsageError } from '@isopod/service-kit'
import { collectResults, DEMO_QUEUE } from '../demo/collect.ts'
import { type DemoJob, differences } from '../demo/expectation.ts'
import { DEMO_JOBS } from '../demo/jobs.ts'
import { startDemoProgress } from '../demo/progress.ts'
import { demoTable } from '../demo/table.ts'
import { interruptible } from '../interrupt.ts'
import { type Io, note, write } from '../io.ts'
import type { JobClient } from '../job-client.ts'
import type { Services } from '../services.ts'
import { paintOn } from '../terminal/paint.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { widthOf } from '../terminal/table.ts'
import { secondsText } from '../terminal/units.ts'

/** Timeout for all jobs, in milliseconds; a normal run takes a tenth of it. */
const DEADLINE_MS = 120_000

/** Options of `isopod demo`. */
export interface DemoOptions {
  readonly allowSharedRedis?: boolean
  readonly json?: boolean
}

/**
 * `isopod demo`: starts the missing parts of the stack, runs every job through the queue, and compares each result with its
 * expectation. Because some jobs are hostile, it refuses a Redis that this checkout has not started, unless
 * `allowSharedRedis` is set.
 */
export async function demoCommand(io: Io, services: Services, options: DemoOptions): Promise<ExitCode> {
  if (!options.allowSharedRedis) await refuseSharedRedis(io, services)
  const log = (line: string) => note(io, `isopod: ${line}`)
  const stack = await services.ensureStack({ env: io.env, workers: 1, log })
  const client = await services.connect(stack.redis.url, io.env)
  try {
    const startedAt = performance.now()
    const results = await interruptible((signal) => runJobs(io, client, signal))
    if (options.json) await write(io.stdout, results.map(jsonLine).join(''))
    else await write(io.stdout, conclusion(io, stack, results, performance.now() - startedAt))
    return results.every(({ ok }) => ok) ? EXIT.success : EXIT.failure
  } finally {
    await client.close()
  }
}

async function refuseSharedRedis({ env }: Io, services: Services): Promise<void> {
  if (!env['REDIS_URL']) return
  const stack = await services.findStack(env)
  if (stack?.redis.ours && stack.redis.url === env['REDIS_URL']) return
  throw new UsageError(
    'demo sends a fork bomb, a memory bomb and an output flood, but this checkout has not started the Redis at REDIS_URL: ' +
      'unset REDIS_URL to use a private Redis, or pass --allow-shared-redis',
  )
}

interface Judged {
  readonly name: string
  readonly result: Result
  readonly ok: boolean
  readonly differences: readonly string[]
}

async function runJobs(io: Io, client: JobClient, interrupted: AbortSignal): Promise<Judged[]> {
  const ids = await client.submitMany(DEMO_JOBS.map(({ job }) => ({ ...job, replyTo: DEMO_QUEUE })))
  const jobs = new Map(ids.map((id, index) => [id, DEMO_JOBS[index]]))
  const all = new Map<string, Judged>()
  const progress = startDemoProgress(io.stderr, ids.length)
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  try {
    const onResult = (result: Result) => {
      const job = jobs.get(result.id)
      if (job === undefined) return
      const judged = judge(job, result)
      all.set(result.id, judged)
      progress.step(stepLine(judged))
    }
    await collectResults(client, ids, onResult, AbortSignal.any([interrupted, deadline]))
    return ids.flatMap((id) => all.get(id) ?? [])
  } catch (error) {
    // Nothing reads their results any more.
    await Promise.allSettled(ids.map((id) => client.cancel(id)))
    throw error
  } finally {
    progress.stop()
  }
}

function judge({ name, expect }: DemoJob, result: Result): Judged {
  const found = differences(result, expect)
  return { name, result, ok: found.length === 0, differences: found }
}

function stepLine({ name, result, ok }: Judged): string {
  return `${ok ? 'ok' : '✗ '} ${name}: ${result.status}`
}

/** The driver, the table of all jobs, their differences, and a one-sentence summary. */
function conclusion(io: Io, { engine }: Stack, results: readonly Judged[], ms: number): string {
  const wrong = results.flatMap(({ name, differences }) =>
    differences.map((difference) => `✗ ${name}: ${difference}\n`),
  )
  const right = results.filter(({ ok }) => ok).length
  const summary = `${right} of ${results.length} jobs ended as expected, in ${secondsText(ms)}.`
  return [
    engine === undefined ? 'driver: process, without an engine\n' : `driver: docker, ${engine.dockerHost}\n`,
    demoTable(results, widthOf(io.stdout)),
    '\n',
    ...wrong,
    `${paintOn(io, io.stdout, wrong.length === 0 ? 'green' : 'red', summary)}\n`,
    'The stack keeps running: npx isopod run FILE uses it, npm run down stops it.\n',
  ].join('')
}

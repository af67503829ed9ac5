import type { Result } from '@isopod/protocol'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import { collectResults, DEMO_QUEUE } from '../demo/collect.ts'
import { type DemoJob, differences } from '../demo/expectation.ts'
import { DEMO_JOBS } from '../demo/jobs.ts'
import { startProgress } from '../demo/progress.ts'
import { demoTable } from '../demo/table.ts'
import { interruptible } from '../interrupt.ts'
import { type Io, note, write } from '../io.ts'
import type { JobClient } from '../job-client.ts'
import type { Services } from '../services.ts'
import { seconds } from '../terminal/units.ts'

/** All jobs together take a tenth of this; what takes longer hangs. In milliseconds. */
const DEADLINE_MS = 120_000

/** `isopod demo`: sets up what is missing, runs every job through the queue, and compares each result. */
export async function demoCommand(io: Io, services: Services): Promise<ExitCode> {
  const log = (line: string) => note(io, `isopod: ${line}`)
  const stack = await services.ensureStack({ env: io.env, workers: 1, log })
  const client = await services.connect(stack.redis.url, io.env)
  try {
    const startedAt = performance.now()
    const results = await interruptible((signal) => runJobs(io, client, signal))
    await write(io.stdout, demoTable(results, io.stdout.columns ?? 160))
    return await conclude(io, results, performance.now() - startedAt)
  } finally {
    await client.close()
  }
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
  const progress = startProgress(io.stderr, ids.length)
  const late = AbortSignal.timeout(DEADLINE_MS)
  try {
    const onResult = (result: Result) => {
      const job = jobs.get(result.id)
      if (job !== undefined) progress.step(stepLine(judge(job, result)))
    }
    const results = await collectResults(client, ids, onResult, AbortSignal.any([interrupted, late]))
    return [...jobs].flatMap(([id, job]) => {
      const result = results.get(id)
      return job === undefined || result === undefined ? [] : [judge(job, result)]
    })
  } catch (error) {
    // Nobody waits for them any more.
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

async function conclude(io: Io, results: readonly Judged[], ms: number): Promise<ExitCode> {
  const wrong = results.filter(({ ok }) => !ok)
  for (const { name, differences } of wrong) {
    for (const difference of differences) await write(io.stdout, `✗ ${name}: ${difference}\n`)
  }
  const right = results.length - wrong.length
  await write(
    io.stdout,
    `${right} of ${results.length} jobs ended as expected, in ${seconds(ms)}.\n` +
      'The stack keeps running: npx isopod run FILE uses it, npm run down stops it.\n',
  )
  return wrong.length === 0 ? EXIT.success : EXIT.failure
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { docker } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { startWorld, type World } from '../support/world.ts'

const BUDGET_MB = 1536
const BIG_MB = 1024
const SMALL_MB = 64

/** A job that prints the times of its start and end. All containers of a host have the same clock. */
const timed = (seconds: number, memoryMb: number): JobInput => ({
  language: 'bash',
  code: `date +%s%N; sleep ${seconds}; date +%s%N`,
  limits: { memoryMb, cpus: 0.2 },
  labels: { memory: String(memoryMb) },
})

let world: World
let narrow: World

beforeAll(async () => {
  const env = { ISOPOD_MEMORY_MB: String(BUDGET_MB), ISOPOD_SLOTS: '4', ISOPOD_DRAIN_SECONDS: '10' }
  ;[world, narrow] = await Promise.all([
    startWorld({ env }),
    startWorld({ env: { ISOPOD_MEMORY_MB: '300' } }),
  ])
})

afterAll(async () => {
  await Promise.all([world?.close(), narrow?.close()])
})

/** Memory limits in MiB of all containers whose job has no result yet; containers of finished jobs are being removed. */
async function runningMb(): Promise<number> {
  const label = `label=isopod.stack=${world.prefix}`
  const format = '{{.ID}} {{.Label "isopod.job"}}'
  const rows = await docker(world.dockerHost, 'ps', '--filter', label, '--format', format)
  let sum = 0
  for (const [id = '', job = ''] of rows.split('\n').map((row) => row.split(' '))) {
    if (job === '' || (await world.client.result(job)) !== undefined) continue
    const bytes = await docker(world.dockerHost, 'inspect', '--format', '{{.HostConfig.Memory}}', id).catch(
      () => '0',
    )
    sum += Number(bytes) / 1024 ** 2
  }
  return sum
}

/** Start and end of a program, in nanoseconds. */
function span({ stdout }: Result): [from: bigint, to: bigint] {
  const [from = '', to = ''] = stdout.trim().split('\n')
  return [BigInt(from), BigInt(to)]
}

async function metric(line: RegExp): Promise<number> {
  const text = await fetch(`${world.workers[0]?.url}/metrics`).then((response) => response.text())
  return Number(line.exec(text)?.[1])
}

// promise: admission
describe('a worker with a budget of 1.5 GiB', () => {
  it('runs jobs of 64 MiB beside one of 1 GiB, never two of 1 GiB, and all of them finish', async () => {
    const big = await world.client.submitMany(Array.from({ length: 3 }, () => timed(1.5, BIG_MB)))
    const small = await world.client.submitMany(Array.from({ length: 9 }, () => timed(0.2, SMALL_MB)))
    const readings: number[] = []
    let done = false
    const reading = (async () => {
      while (!done) {
        readings.push(await runningMb())
        await sleep(50)
      }
    })()
    const results = await Promise.all([...big, ...small].map((id) => world.client.wait(id)))
    done = true
    await reading

    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'success'))
    expect(Math.max(...readings)).toBeLessThanOrEqual(BUDGET_MB)
    const spans = results.map((result) => ({ at: span(result), mb: Number(result.labels?.['memory']) }))
    const sums = spans.map(({ at: [start] }) =>
      spans.filter(({ at }) => at[0] <= start && start < at[1]).reduce((sum, { mb }) => sum + mb, 0),
    )
    expect(Math.max(...sums)).toBeLessThanOrEqual(BUDGET_MB)
    expect(Math.max(...sums)).toBeGreaterThan(BIG_MB)
    // Small jobs, although enqueued last, start before the second big job.
    const [, second = 0n] = spans.flatMap(({ at, mb }) => (mb === BIG_MB ? [at[0]] : [])).sort(ascending)
    const smallStarts = spans.flatMap(({ at, mb }) => (mb === SMALL_MB ? [at[0]] : [])).sort(ascending)
    expect(smallStarts.filter((start) => start < second).length).toBeGreaterThanOrEqual(2)
    expect(await metric(/isopod_admission_memory_bytes\{state="used"\} (\d+)/)).toBe(0)
    expect(await metric(/isopod_admission_memory_bytes\{state="free"\} (\d+)/)).toBe(BUDGET_MB * 1024 ** 2)
    expect(await metric(/isopod_admission_wait_seconds_count (\d+)/)).toBe(12)
  })

  it('refuses a job that needs more memory than its whole budget', async () => {
    const result = await narrow.client.run(timed(0, BIG_MB))
    expect(result).toMatchObject({
      status: 'validation_error',
      errorMessage: 'limits.memoryMb: must be at most 300 on this deployment, got 1024',
    })
  })

  it('cancels a waiting job, and requeues the others when it stops', async () => {
    const [first = '', second = '', third = ''] = await world.client.submitMany(
      Array.from({ length: 3 }, () => timed(2, BIG_MB)),
    )
    const waiting = () => metric(/isopod_admission_waiting_jobs (\d+)/)
    expect(await eventually(waiting, (count) => count === 2)).toBe(2)
    expect(await world.client.cancel(second)).toBe('requested')
    expect(await world.client.wait(second)).toMatchObject({ status: 'cancelled', limitsApplied: null })
    const [worker] = world.workers.splice(0)
    await worker?.stop()
    expect(await world.client.result(first)).toMatchObject({ status: 'success' })
    expect(await world.client.result(third)).toBeUndefined()
    await world.addWorker()
    expect(await world.client.wait(third)).toMatchObject({ status: 'success' })
  })
})

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : 1
}

import { readFile } from 'node:fs/promises'
import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { SOAK } from '../support/soak.ts'
import { startWorld, type World } from '../support/world.ts'

const JOBS = SOAK ? 300 : 50
let world: World

beforeAll(async () => {
  // Without a pool, so that every container belongs to a job.
  world = await startWorld({ workers: 2, env: { ISOPOD_POOL_SIZE: '0' } })
})

afterAll(async () => {
  await world?.close()
})

/** Small programs that end in every way, each with the status that it must get. */
const KINDS: { job: JobInput; status: string }[] = [
  { job: { code: 'print("ok")' }, status: 'success' },
  { job: { language: 'bash', code: 'echo ok' }, status: 'success' },
  { job: { language: 'javascript', code: 'console.log("ok")' }, status: 'success' },
  { job: { language: 'c', code: 'int main(void) { return 0; }' }, status: 'success' },
  { job: { language: 'bash', code: 'exit 3' }, status: 'execution_error' },
  {
    job: { language: 'bash', code: 'while :; do :; done', limits: { timeoutSeconds: 0.5 } },
    status: 'timeout',
  },
  { job: { language: 'c', code: 'int main(void) { return }' }, status: 'compile_error' },
  { job: { language: 'bash', code: 'yes | head -c 300000' }, status: 'success' },
  { job: { code: 'x = bytearray(1 << 28)', limits: { memoryMb: 32 } }, status: 'memory_exceeded' },
  { job: { language: 'bash', code: 'echo ok', limits: { cpus: 250 } }, status: 'validation_error' },
]

describe('two workers on one queue', () => {
  // promise: exactly-once, nothing-left
  it(`${JOBS} mixed jobs give ${JOBS} results on the results queue, none twice, each with the right status`, async () => {
    const jobs = Array.from({ length: JOBS }, (_, index): JobInput => {
      const kind = KINDS[index % KINDS.length]
      if (kind === undefined) throw new Error('no kind')
      return { ...kind.job, replyTo: 'mixed', labels: { expected: kind.status } }
    })
    const received: Result[] = []
    const done = Promise.withResolvers<void>()
    const consumer = world.client.results(
      async (result) => {
        received.push(result)
        if (received.length >= jobs.length) done.resolve()
      },
      { replyTo: 'mixed' },
    )
    const memory = await Promise.all(world.workers.map(({ process }) => residentBytes(process.pid)))
    const ids = await world.client.submitMany(jobs)
    await done.promise
    // A duplicate would arrive after the last one.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await consumer.close()

    expect(received.map(({ id }) => id).sort()).toEqual([...ids].sort())
    expect(received.filter((result) => result.status !== result.labels?.['expected'])).toEqual([])
    expect(new Set(received.map(({ workerId }) => workerId)).size).toBe(2)
    expect(
      await eventually(
        () => world.containers(),
        (left) => left.length === 0,
      ),
    ).toEqual([])
    const after = await Promise.all(world.workers.map(({ process }) => residentBytes(process.pid)))
    for (const [index, bytes] of after.entries())
      expect(bytes - (memory[index] ?? 0)).toBeLessThan(80 * 1024 * 1024)
  })

  // promise: audit
  it('each execution has one final audit line with tenant, code hash, container, limits and outcome', async () => {
    const secret = 'print("only-in-the-code")'
    const result = await world.client.run({ code: secret, tenant: 'acme' })
    const lines = [...(await world.log(0)), ...(await world.log(1))]
    const audit = lines.filter(isFinished(result.id))
    expect(audit).toHaveLength(1)
    expect(audit[0]).toMatchObject({
      tenant: 'acme',
      language: 'python@3.13',
      status: 'success',
      imageDigest: result.imageDigest,
      codeSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      containerId: expect.stringMatching(/^[0-9a-f]{64}$/),
      limits: { memoryMb: 256, timeoutSeconds: 30 },
    })
    expect(JSON.stringify(lines)).not.toContain('only-in-the-code')
  })

  // promise: metrics
  it('metrics count jobs, results and container operations, without ids in labels', async () => {
    const texts = await Promise.all(
      world.workers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
    )
    // One of the workers may have run all of them.
    expect(texts.join('')).toMatch(/isopod_jobs_finished_total\{language="python",status="success"\} \d+/)
    for (const text of texts) {
      expect(text).toMatch(/isopod_results_published_total\{outcome="ok"\} \d+/)
      expect(text).toMatch(/isopod_container_operations_total\{op="start",outcome="ok"\} \d+/)
      expect(text).toMatch(/isopod_docker_up 1/)
      expect(text).toMatch(/isopod_redis_up 1/)
      expect(text).not.toMatch(/j-[0-9a-f]{8}/)
    }
    const withQueueGauges = texts.filter((text) =>
      /isopod_queue_jobs\{queue="jobs",state="waiting"\}/.test(text),
    )
    expect(withQueueGauges).toHaveLength(1)
  })
})

// promise: cancel
describe('cancellation', () => {
  it('a cancelled running job ends at once, and its end is not attributed to the program', async () => {
    const id = await world.client.submit({ code: 'import time; time.sleep(60)' })
    await eventually(
      () => world.containers(),
      (running) => running.length > 0,
    )
    expect(await world.client.cancel(id)).toBe('requested')
    expect(await world.client.wait(id)).toMatchObject({ status: 'cancelled', attributable: false })
    expect(
      await eventually(
        () => world.containers(),
        (left) => left.length === 0,
      ),
    ).toEqual([])
  })

  it('a job is cancelled when the signal of client.run aborts', async () => {
    const signal = AbortSignal.timeout(500)
    await expect(world.client.run({ code: 'import time; time.sleep(60)' }, { signal })).rejects.toThrow(
      /timeout/i,
    )
    expect(
      await eventually(
        () => world.containers(),
        (left) => left.length === 0,
      ),
    ).toEqual([])
  })
})

describe('idempotency', () => {
  // promise: idempotency
  it('50 concurrent submits with one idempotency key run the job once', async () => {
    const job = { code: 'print("once")', idempotencyKey: 'the-same' }
    const ids = await Promise.all(Array.from({ length: 50 }, () => world.client.submit(job)))
    expect(new Set(ids).size).toBe(1)
    const id = ids[0] ?? ''
    await world.client.wait(id)
    const audits = [...(await world.log(0)), ...(await world.log(1))].filter(isFinished(id))
    expect(audits).toHaveLength(1)
  })
})

const isFinished = (id: string) => (line: Record<string, unknown>) =>
  line['audit'] === true && line['event'] === 'finished' && line['job'] === id

async function residentBytes(pid: number): Promise<number> {
  const pages = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1]
  return Number(pages) * 4096
}

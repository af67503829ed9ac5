import type { JobInput, Result } from '@isopod/client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { hostRuns } from '../support/host/processes.ts'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

const SLOTS = 2
let world: World

beforeAll(async () => {
  // The idle time is longer than a busy host takes for a job, and short enough to wait for.
  const env = { ISOPOD_SLOTS: String(SLOTS), ISOPOD_BATCH_IDLE_SECONDS: '6' }
  // Without a pool, because the specs count containers and only those of batches may exist.
  world = await startWorld({ env: { ...env, ISOPOD_POOL_SIZE: '0' } })
})

afterAll(async () => {
  await world?.close()
})

function job(changes: Partial<JobInput> = {}): JobInput {
  return { language: 'bash', code: 'ls /tmp; touch /tmp/left', reuse: 'batch', batchId: 'b', ...changes }
}

/** The container of each job according to the audit log. */
async function containersOf(results: readonly Result[]): Promise<(string | undefined)[]> {
  const finished = await eventually(
    async () => (await world.log()).filter(({ event }) => event === 'finished'),
    (events) => results.every(({ id }) => events.some(({ job }) => job === id)),
  )
  return results.map(({ id }) => finished.find((event) => event['job'] === id)?.['containerId'] as string)
}

async function metric(line: string): Promise<number> {
  const response = await fetch(`${world.workers[0]?.url}/metrics`)
  const found = (await response.text()).split('\n').find((text) => text.startsWith(`${line} `))
  return Number(found?.slice(line.length + 1) ?? 0)
}

describe('containers that jobs of a batch share', () => {
  beforeEach((context) => context.skip(RUNTIME === 'runsc', 'gVisor reuses no container'))

  // promise: batch-reuse
  it('consecutive jobs of a batch run in one container, and each finds it empty', async () => {
    const results: Result[] = []
    for (let turn = 0; turn < 4; turn++) results.push(await world.client.run(job({ batchId: 'row' })))
    expect(results.map(({ status, stdout }) => status + stdout)).toEqual(Array(4).fill('success'))
    expect(results.map(({ containerOrigin }) => containerOrigin)).toEqual(['made', 'batch', 'batch', 'batch'])
    expect(new Set(await containersOf(results)).size).toBe(1)
  })

  it('jobs of another tenant, of another batch or of no batch never get the same container', async () => {
    const jobs = [
      ...['one', 'two'].flatMap((tenant) => ['x', 'y'].map((batchId) => job({ tenant, batchId }))),
      // Tenant and batch id of these two concatenate to the same string.
      job({ tenant: 'a', batchId: 'bc' }),
      job({ tenant: 'ab', batchId: 'c' }),
      job({ reuse: 'never', batchId: 'x', tenant: 'one' }),
      job({ reuse: 'never', batchId: 'x', tenant: 'one' }),
    ]
    const rounds: (string | undefined)[][] = []
    for (let round = 0; round < 2; round++) {
      const results = await Promise.all(jobs.map((one) => world.client.run(one)))
      expect(results.filter(({ status, stdout }) => status !== 'success' || stdout !== '')).toEqual([])
      rounds.push(await containersOf(results))
    }
    const owners = new Map<string | undefined, Set<number>>()
    for (const round of rounds) {
      for (const [index, container] of round.entries()) {
        expect(container).toMatch(/^[0-9a-f]{64}$/)
        owners.set(container, (owners.get(container) ?? new Set()).add(index))
      }
    }
    expect([...owners.values()].filter((jobsOfIt) => jobsOfIt.size > 1)).toEqual([])
  })

  it('a batch has at most as many containers as the worker has slots', async () => {
    const jobs = Array.from({ length: 12 }, () => job({ batchId: 'many' }))
    const ids = await world.client.submitMany(jobs)
    const results = await Promise.all(ids.map((id) => world.client.wait(id)))
    expect(results.filter(({ status, stdout }) => status !== 'success' || stdout !== '')).toEqual([])
    expect(results.filter(({ containerOrigin }) => containerOrigin === 'made').length).toBeLessThanOrEqual(
      SLOTS,
    )
    expect(new Set(await containersOf(results)).size).toBeLessThanOrEqual(SLOTS)
  })

  it('a job of the batch with other limits or another language gets another container', async () => {
    const jobs = [
      job(),
      job({ limits: { memoryMb: 64 } }),
      job({ limits: { processes: 20 } }),
      job({ language: 'python', code: '1' }),
    ]
    const results: Result[] = []
    for (const one of jobs) results.push(await world.client.run({ ...one, batchId: 'kinds' }))
    expect(results.map(({ containerOrigin }) => containerOrigin)).toEqual(Array(4).fill('made'))
    expect(results[1]?.limitsApplied?.memoryMb).toBe(64)
  })

  it('compiled programs of a batch run in one container, and each gets its own binary', async () => {
    const code = (text: string) =>
      `#include <stdio.h>\n#include <unistd.h>\nint main(void) { puts("${text}"); return access("/tmp/left", 0) == 0; }`
    const results: Result[] = []
    for (const text of ['first', 'second']) {
      results.push(await world.client.run(job({ language: 'c', code: code(text), batchId: 'c' })))
    }
    const broken = await world.client.run(job({ language: 'c', code: 'int main(', batchId: 'c' }))
    results.push(await world.client.run(job({ language: 'c', code: code('third'), batchId: 'c' })))
    expect(results.map(({ status, stdout }) => status + stdout)).toEqual([
      'successfirst\n',
      'successsecond\n',
      'successthird\n',
    ])
    expect(broken).toMatchObject({ status: 'compile_error', containerOrigin: 'batch' })
    expect(new Set(await containersOf([...results, broken])).size).toBe(1)
  })

  it('the container of a program that is cancelled is not used again', async () => {
    const first = await world.client.run(job({ batchId: 'cancelled' }))
    // Waits until the program runs, because a job that is cancelled earlier leaves the container clean.
    const seconds = `100.${process.pid}`
    const id = await world.client.submit(job({ code: `sleep ${seconds}`, batchId: 'cancelled' }))
    await eventually(
      async () => hostRuns('sleep', seconds),
      (runs) => runs,
    )
    await world.client.cancel(id)
    expect(await world.client.wait(id)).toMatchObject({ status: 'cancelled' })
    const after = await world.client.run(job({ batchId: 'cancelled' }))
    expect([first.containerOrigin, after.containerOrigin, after.stdout]).toEqual(['made', 'made', ''])
  })

  it('idle containers are removed, and metrics count containers and resets', async () => {
    // A container is reset after its job has a result, so the resets of earlier specs may still be running.
    await eventually(world.containers, (left) => left.length === 0, 30_000)
    const before = await metric('isopod_container_resets_total{outcome="clean"}')
    await world.client.run(job({ batchId: 'idle' }))
    const shelved = () => metric('isopod_containers{state="shelved"}')
    expect(await eventually(shelved, (count) => count === 1)).toBe(1)
    expect(await metric('isopod_container_resets_total{outcome="clean"}')).toBe(before + 1)
    const discarded = await metric('isopod_container_resets_total{outcome="discarded"}')
    await world.client.run(
      job({ language: 'python', code: 'x = bytearray(1 << 30)', limits: { memoryMb: 32 }, batchId: 'idle' }),
    )
    const nowDiscarded = () => metric('isopod_container_resets_total{outcome="discarded"}')
    expect(await eventually(nowDiscarded, (count) => count === discarded + 1)).toBe(discarded + 1)
    expect(await eventually(world.containers, (left) => left.length === 0)).toEqual([])
    expect(await shelved()).toBe(0)
  })
})

it('under gVisor each job of a batch has a container of its own', async (context) => {
  context.skip(RUNTIME !== 'runsc', 'other runtimes share containers')

  const results: Result[] = []
  for (let turn = 0; turn < 2; turn++) results.push(await world.client.run(job()))
  expect(results.map(({ containerOrigin }) => containerOrigin)).toEqual(['made', 'made'])
})

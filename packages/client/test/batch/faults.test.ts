import { openConsumer } from '@isopod/queue'
import { expect, test } from 'vitest'
import type { BatchOptions, IsopodClient, Sample, SampleResult } from '../../src/index.ts'
import { until, useBench } from '../harness.ts'
import { judge } from './programs.ts'

const bench = useBench()

async function runBatch(client: IsopodClient, options: BatchOptions) {
  const batch = client.batch({ faultPauseMs: 10, ...options })
  const results = new Map<string, SampleResult>()
  for await (const result of batch) results.set(result.id, result)
  return { results, summary: await batch.summary() }
}

function sample(id: string, code: string): Sample {
  return { id, problem: id, job: { code } }
}

// promise: batch-fault
test('a sample with a platform fault is submitted again, and the last attempt gives the verdict', async () => {
  const client = await bench.client()
  let starts = 0
  const ids = new Set<string>()
  await bench.worker(async (delivery) => {
    ids.add(delivery.id)
    starts += 1
    return judge(starts < 3 ? { ...delivery, job: { ...delivery.job, code: 'fault' } } : delivery)
  })
  const { results, summary } = await runBatch(client, { samples: [sample('a', 'fail')] })
  expect(results.get('a')).toMatchObject({
    outcome: 'failed',
    retriedFaults: 2,
    result: { attributable: true },
  })
  expect(summary).toMatchObject({ failed: 1, faults: 0, retriedFaults: 2, passAt: { 1: { estimate: 0 } } })
  expect([starts, ids.size]).toEqual([3, 3])
})

// promise: judge-errors
test('a sample that only a failed judge kept from passing fails or, in the same batch too, is excluded', async () => {
  const client = await bench.client()
  let starts = 0
  await bench.worker(async (delivery) => {
    starts += 1
    const figures = { exitCode: 0, signal: null, wallMs: 1, cpuMs: 1, memoryPeakBytes: 1 }
    return {
      ...(await judge({ ...delivery, job: { ...delivery.job, code: 'pass' } })),
      tests: [{ name: '1', verdict: 'judge_error', diff: 'it crashed', ...figures }],
      summary: { passed: 0, total: 1, score: 0, status: 'success', judgeErrors: 1 },
    }
  })
  const samples = [{ ...sample('a', 'odd'), job: { code: 'odd', tests: [{}] } }]
  const counted = await runBatch(client, { id: 'odd', samples })
  expect(counted.results.get('a')).toMatchObject({ outcome: 'failed', judgeError: true, resumed: false })
  expect(counted.summary).toMatchObject({ failed: 1, judgeErrors: 1, passAt: { 1: { estimate: 0 } } })
  const excluded = await runBatch(client, { id: 'odd', samples, judgeErrors: 'exclude' })
  expect(excluded.results.get('a')).toMatchObject({ outcome: 'excluded', judgeError: true, resumed: true })
  expect(excluded.summary).toMatchObject({
    failed: 0,
    judgeErrors: 1,
    faults: 0,
    samples: 1,
    passAt: { 1: null },
  })
  expect(starts).toBe(1)
})

// promise: batch-fault
test('a sample refused for its limits has no verdict and is not submitted again in the same run', async () => {
  const client = await bench.client()
  let starts = 0
  await bench.worker(async (delivery) => {
    starts += 1
    return judge(delivery)
  })
  const { results, summary } = await runBatch(client, { samples: [sample('a', 'refuse')] })
  expect(results.get('a')).toMatchObject({ outcome: 'fault', result: { status: 'validation_error' } })
  expect(summary).toMatchObject({ failed: 0, faults: 1, retriedFaults: 0, passAt: { 1: null } })
  expect(starts).toBe(1)
})

// promise: batch-fault
test('a sample with only platform faults has no verdict, is not scored, and is tried again by the next run', async () => {
  const client = await bench.client()
  let isMended = false
  const starts: string[] = []
  await bench.worker(async (delivery) => {
    const { code } = delivery.job
    starts.push(code)
    return judge(
      isMended ? { ...delivery, job: { ...delivery.job, code: code.replace('fault', 'pass') } } : delivery,
    )
  })
  const samples = [sample('a', 'pass'), sample('b', 'fault')]
  const first = await runBatch(client, { id: 'nightly', samples })
  expect(first.results.get('b')).toMatchObject({ outcome: 'fault', result: { status: 'setup_error' } })
  expect(first.summary).toMatchObject({ passed: 1, failed: 0, faults: 1, retriedFaults: 2 })
  expect(first.summary.passAt['1']).toMatchObject({ estimate: 1, problems: 1 })
  expect(starts.filter((code) => code === 'fault').length).toBe(3)
  isMended = true
  const second = await runBatch(client, { id: 'nightly', samples })
  expect(second.summary).toMatchObject({
    passed: 2,
    faults: 0,
    retriedFaults: 3,
    passAt: { 1: { problems: 2 } },
  })
  expect(second.results.get('b')).toMatchObject({ outcome: 'passed', resumed: false, retriedFaults: 3 })
  expect(starts.length).toBe(1 + 3 + 1)
})

test('a job that another caller cancels is a fault and is not replaced', async () => {
  const client = await bench.client()
  const taken: string[] = []
  await bench.worker(async ({ id }, signal) => {
    taken.push(id)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    throw signal.reason
  })
  const running = runBatch(client, { samples: [sample('a', 'hold')] })
  await until(() => taken.length === 1)
  await client.cancel(taken[0] ?? '')
  const { results, summary } = await running
  expect(results.get('a')).toMatchObject({ outcome: 'fault', result: { status: 'cancelled' } })
  expect(summary).toMatchObject({ faults: 1, retriedFaults: 0, passAt: { 1: null } })
  expect(taken.length).toBe(1)
})

test('a batch waits while its tenant has as many waiting jobs as it may have', async () => {
  const client = await bench.client()
  await bench.worker(async (delivery) => judge(delivery))
  const operator = await openConsumer({
    ...{ url: bench.url, prefix: bench.prefix, workerId: 'operator' },
    tenants: { '*': { maxQueued: 1 } },
  })
  await expect(client.submitMany([{ code: 'pass' }, { code: 'pass' }])).rejects.toMatchObject({
    code: 'tenant_queue_full',
  })
  const samples = ['a', 'b', 'c', 'd'].map((id) => sample(id, 'pass'))
  const { summary } = await runBatch(client, { samples })
  expect(summary).toMatchObject({ passed: 4, faults: 0 })
  await operator.close()
})

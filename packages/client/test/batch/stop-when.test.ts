import { expect, test } from 'vitest'
import type { BatchOptions, Sample } from '../../src/index.ts'
import { until, useBench } from '../harness.ts'
import { judge } from './programs.ts'

const bench = useBench()

function samples(...codes: string[]): Sample[] {
  return codes.map((code, place) => ({ id: `p/${place}`, problem: 'p', job: { code } }))
}

async function outcomes(options: BatchOptions): Promise<string> {
  const client = await bench.client()
  const batch = client.batch(options)
  const found: [string, string][] = []
  for await (const { id, outcome } of batch) found.push([id, outcome])
  expect((await batch.summary()).samples).toBe(found.length)
  return found
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, outcome]) => outcome)
    .join(' ')
}

test('after a sample has passed, later ones are not submitted', async () => {
  const ran: string[] = []
  await bench.worker(async (delivery) => {
    ran.push(delivery.job.code)
    return judge(delivery)
  })
  const given = samples('fail #0', 'pass #1', 'fail #2', 'pass #3')
  const stop = { samples: given, inFlight: 1, id: 'one' }
  expect(await outcomes({ ...stop, stopWhen: 'passed' })).toBe('failed passed skipped skipped')
  expect(ran).toEqual(['fail #0', 'pass #1'])
  // The next run skips them too.
  expect(await outcomes({ ...stop, stopWhen: 'passed' })).toBe('failed passed skipped skipped')
  expect(ran.length).toBe(2)
})

test('with stopWhen "failed", later samples are not submitted after a failure', async () => {
  await bench.worker(judge)
  const given = samples('pass #0', 'fail #1', 'pass #2')
  expect(await outcomes({ samples: given, inFlight: 1, stopWhen: 'failed' })).toBe('passed failed skipped')
})

test('a pass cancels running samples after it, and earlier ones continue', async () => {
  const ended: string[] = []
  const started = new Set<string>()
  const release = Promise.withResolvers<void>()
  await bench.worker(async (delivery, signal) => {
    const { code } = delivery.job
    started.add(code)
    if (code.startsWith('pass')) await until(() => started.size === 4)
    if (code === 'fail #0') await release.promise
    if (code.startsWith('hold')) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      ended.push(code)
      if (ended.length === 2) release.resolve()
      throw signal.reason
    }
    return judge(delivery)
  })
  const given = samples('fail #0', 'pass #1', 'hold #2', 'hold #3')
  expect(await outcomes({ samples: given, stopWhen: 'passed' })).toBe('failed passed skipped skipped')
  expect(ended.sort()).toEqual(['hold #2', 'hold #3'])
})

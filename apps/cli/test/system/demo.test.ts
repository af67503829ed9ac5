import { expect, it } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { startWorld } from '../../../../test/support/world.ts'
import { collectResults, DEMO_QUEUE } from '../../src/demo/collect.ts'
import { differences } from '../../src/demo/expectation.ts'
import { DEMO_JOBS } from '../../src/demo/jobs.ts'

it('isopod demo ends every job as expected on a real worker', async () => {
  const world = await startWorld()
  try {
    const ids = await world.client.submitMany(DEMO_JOBS.map(({ job }) => ({ ...job, replyTo: DEMO_QUEUE })))
    const results = await collectResults(world.client, ids, () => {}, AbortSignal.timeout(scaled(100_000)))
    const found = DEMO_JOBS.map(({ name, expect: wanted }, index) => {
      const result = results.get(ids[index] ?? '')
      return [name, result === undefined ? ['no result'] : differences(result, wanted)]
    })
    expect(found).toEqual(DEMO_JOBS.map(({ name }) => [name, []]))
  } finally {
    await world.close()
  }
})

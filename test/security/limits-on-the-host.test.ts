import { isDeepStrictEqual } from 'node:util'
import { type LimitsOf, limitNamesOf, pickLimits } from '@isopod/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { LIMIT_RANGES } from '../../packages/protocol/test/limit-ranges.ts'
import { eventually } from '../support/eventually.ts'
import { hostView } from '../support/host-view.ts'
import { hostTasks, RUNTIME } from '../support/runtime.ts'
import { SOAK } from '../support/soak.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

const onThisHost = process.getuid?.() === 0 && inject('stack').dockerHost.startsWith('unix://')
if (RUNTIME === 'runsc') {
  console.warn("skipped: disk and open files on the host (they are those of gVisor's own kernel)")
}
let world: World

beforeEach((context) => context.skip(!onThisHost, 'needs root on the host of the containers'))

beforeAll(async () => {
  // Without a pool, so that the only container is the job's.
  if (onThisHost) world = await startWorld({ env: { ISOPOD_SLOTS: '1', ISOPOD_POOL_SIZE: '0' } })
})

afterAll(async () => {
  await world?.close()
})

const processLimits = limitNamesOf('process').map((name) => {
  const [min, max] = LIMIT_RANGES[name]
  return [name, fc.integer({ min, max })]
})
const limits = fc.record({
  timeoutSeconds: fc.integer({ min: 50, max: 3000 }).map((tenths) => tenths / 10),
  jobSeconds: fc.integer({ min: 50, max: 36_000 }).map((tenths) => tenths / 10),
  memoryMb: fc.integer({ min: 32, max: 1024 }),
  cpus: fc.integer({ min: 10, max: 100 }).map((percent) => percent / 100),
  processes: fc.integer({ min: 5, max: 512 }),
  diskMb: fc.integer({ min: 1, max: 512 }),
  outputBytes: fc.integer({ min: 10, max: 10 * 1024 * 1024 }),
  ...(Object.fromEntries(processLimits) as Record<keyof LimitsOf<'process'>, fc.Arbitrary<number>>),
})

// promise: read-back
it(
  'the limits that a job asks for are those on the host and those in the result',
  async () => {
    const property = fc.asyncProperty(limits, async (asked) => {
      const process = pickLimits(asked, 'process')
      const id = await world.client.submit({ language: 'bash', code: 'exec sleep 100', limits: asked })
      const view = await eventually(
        async () => {
          const [container] = await world.containers()
          // Before the program runs there is no process whose limits could be read.
          return container === undefined
            ? undefined
            : hostView(world.dockerHost, container).catch(() => undefined)
        },
        (seen) => seen !== undefined && isDeepStrictEqual(seen.process ?? process, process),
      )
      const { timeoutSeconds, outputBytes, cpus, ...same } = asked
      const { memoryMb, processes, diskMb } = asked
      expect(view).toEqual({
        memoryMb,
        memorySwapMb: memoryMb,
        tasks: hostTasks(processes),
        cpus: expect.closeTo(cpus, 3),
        ...(RUNTIME === 'runsc' ? {} : { diskMb, process }),
      })
      await world.client.cancel(id)
      await world.client.wait(id)
      await eventually(world.containers, (left) => left.length === 0)

      const result = await world.client.run({ language: 'bash', code: 'true', limits: asked })
      expect(result).toMatchObject({
        status: 'success',
        limitsApplied: {
          ...same,
          timeoutSeconds,
          outputBytes,
          memorySwapMb: asked.memoryMb,
          cpus: expect.closeTo(cpus, 3),
        },
      })
      await eventually(world.containers, (left) => left.length === 0)
    })
    await fc.assert(property, { numRuns: SOAK ? 50 : 4, endOnFailure: true })
  },
  scaled(300_000),
)

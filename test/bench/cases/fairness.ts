import type { BenchCase } from '../bench.ts'
import { NAMES } from '../names.ts'
import { compareQueues } from './queue-alone.ts'

/**
 * What the turns of tenants cost: the same queue with jobs that are added without a turn, as another program could add them, with
 * the jobs of one tenant, and with those of a hundred.
 */
export const fairness: BenchCase = {
  name: 'fairness',
  title: 'the queue alone: without turns of tenants, with one tenant, and with 100 tenants',
  async run(bench) {
    await compareQueues(bench, 'fairness', {
      [NAMES.queueWithoutTurns]: 'without-turns',
      [NAMES.queue]: 'isopod',
      [NAMES.queueOfTenants]: 'tenants',
    })
  },
}

import type { Result } from '@isopod/protocol'
import type { Handle } from '@isopod/queue'
import { DriverUnavailableError } from '@isopod/sandbox'
import type { EngineWatch } from './engine-watch.ts'

/**
 * Makes jobs run again that exceeded a time limit while the engine did not answer: an engine that stands still takes no output, so
 * the program may have waited for it.
 */
export function retryAfterOutage(run: Handle, engine: Pick<EngineWatch, 'wasDown'>): Handle {
  return async (delivery, signal) => {
    const startedAt = performance.now()
    const result = await run(delivery, signal)
    if (isOverTime(result) && engine.wasDown(startedAt)) {
      throw new DriverUnavailableError('the engine did not answer while the program ran into its time limit')
    }
    return result
  }
}

/** Whether a time limit ended a run of the job. A limit of CPU time is not one: waiting takes none. */
function isOverTime({ status, limit, tests = [] }: Result): boolean {
  const isOver = status === 'timeout' && limit !== 'cpu'
  return isOver || tests.some(({ verdict }) => verdict === 'timeout')
}

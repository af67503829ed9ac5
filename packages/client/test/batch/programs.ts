import type { Result } from '@isopod/protocol'
import { type Delivery, unexecutedJobResult } from '@isopod/queue'
import { echo } from '../harness.ts'

/**
 * Runs programs of one word: `pass`, `fail`, `fault` for a platform that fails them each time, `fault twice` for one that fails
 * their first two submissions, `refuse` for one that refuses them for what they ask for. A comment behind it makes it another program.
 */
export async function judge(delivery: Delivery): Promise<Result> {
  const { id, job, attempt } = delivery
  const [program = ''] = job.code.split(' #')
  const fault = unexecutedJobResult({
    id,
    job,
    attempt,
    status: 'setup_error',
    errorMessage: 'no host',
    workerId: 'w',
  })
  if (program === 'fault') return fault
  if (program === 'refuse') return { ...fault, status: 'validation_error', attributable: true }
  const result = await echo(delivery)
  return program === 'fail' ? { ...result, status: 'execution_error', exitCode: 1 } : result
}

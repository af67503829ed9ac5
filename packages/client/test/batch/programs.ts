import type { Result } from '@isopod/protocol'
import { type Delivery, unexecutedJobResult } from '@isopod/queue'
import { echo } from '../harness.ts'

/**
 * Runs programs of one word: `pass`, `fail`, `fault` for a platform fault, `refuse` for a job whose limits are refused. A
 * comment after the word makes it another program.
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

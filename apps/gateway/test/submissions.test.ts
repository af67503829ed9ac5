import type { Access } from '@isopod/access'
import { type IsopodClient, NoWorkerError, type QueueStats } from '@isopod/client'
import { describe, expect, it } from 'vitest'
import { QueueGate } from '../src/queue-gate.ts'
import { type SubmissionParts, Submissions } from '../src/submissions.ts'

const CALLER = { tenant: undefined, key: undefined }

/** Submissions to a queue in memory with this many live workers. */
function submissionsWith(workers: number) {
  const cancelled: string[] = []
  const stats = { waiting: 0, prioritized: 0, delayed: 0, workers, predictedWaitSeconds: 7 } as QueueStats
  const client: Partial<IsopodClient> = {
    queue: async () => stats,
    submit: async () => 'j-1',
    wait: async () => {
      throw new NoWorkerError('no worker')
    },
    cancel: async (id) => {
      cancelled.push(id)
      return 'cancelled'
    },
  }
  const access = { executions: { record: async () => {} } } as unknown as Access
  const parts = {
    ...{ client, access, gate: new QueueGate(client as IsopodClient, 10) },
    ...{ drained: new AbortController().signal, callbackRule: () => undefined },
  } as SubmissionParts
  return { submissions: new Submissions(parts), cancelled }
}

describe('a gateway without a live worker', () => {
  it('cancels an execution that a request waits for, and answers 503 no_worker with Retry-After', async () => {
    const { submissions, cancelled } = submissionsWith(0)
    const running = submissions.run(CALLER, { code: 'x' }, new AbortController().signal)
    await expect(running).rejects.toMatchObject({ status: 503, code: 'no_worker', retryAfterSeconds: 10 })
    expect(cancelled).toEqual(['j-1'])
  })

  it.each([
    [0, { predictedWaitSeconds: 7, warning: 'No worker is running; the execution waits until one starts.' }],
    [1, { predictedWaitSeconds: 7 }],
  ])('warns callers whose executions wait (%i workers)', async (workers, outlook) => {
    expect(await submissionsWith(workers).submissions.outlook()).toEqual(outlook)
  })
})

import { StorageFullError, TenantQueueFullError } from '@isopod/client'
import { expect, it } from 'vitest'
import { refusalOf } from '../src/http/problem.ts'

// promise: full-redis
it('a full Redis is a 503 that says when to try again, and names no host', () => {
  const refusal = refusalOf(new StorageFullError('Redis at redis://10.0.0.7:6379 is full'))
  expect(refusal).toMatchObject({ status: 503, code: 'storage_full', retryAfterSeconds: 5 })
  expect(refusal.detail).toBe('The queue has no memory for more jobs. Try again in 5 s.')
})

it('a tenant with too many waiting jobs is told when to try again, and how long a job would wait', () => {
  const advice = { retryAfterSeconds: 7, predictedWaitSeconds: 65 }
  const refusal = refusalOf(new TenantQueueFullError('tenant: a has 9 waiting jobs', advice))
  expect(refusal).toMatchObject({ status: 429, code: 'tenant_queue_full', ...advice })
})

import { ConfigError, InvalidJobError, TerminalError, UnavailableError } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { describeFailure } from '../src/error-exit.ts'
import { httpStatusOf } from '../src/error-status.ts'

const wrongJob = new InvalidJobError([{ field: 'code', message: 'code: must not be empty' }])

describe('a thrown value', () => {
  it.each([
    [wrongJob, 2, 400],
    [Object.assign(new Error('used before'), { code: 'idempotency_conflict' }), 2, 409],
    [Object.assign(new Error('too many'), { code: 'tenant_queue_full' }), 3, 429],
    [new ConfigError('PORT: must be a number'), 3, 400],
    [new UnavailableError('Redis is gone'), 3, 503],
    [Object.assign(new Error('Redis is full'), { code: 'storage_full' }), 3, 503],
    [new TerminalError('no image'), 3, 500],
    [Object.assign(new Error('no such job'), { code: 'unknown_job' }), 1, 404],
    [new TypeError('x is undefined'), 3, 500],
    ['text', 3, 500],
  ])('%s has an exit code and an HTTP status', (error, exitCode, status) => {
    expect(describeFailure(error).exitCode).toBe(exitCode)
    expect(httpStatusOf(error)).toBe(status)
  })

  it('shows a user the details of a bug only on request', () => {
    expect(describeFailure(new UnavailableError('Redis is gone')).message).toBe('Redis is gone')
    expect(describeFailure(new TypeError('x is undefined')).message).toBe(
      'x is undefined (ISOPOD_DEBUG=1 shows where)',
    )
  })

  it('distinguishes an abort from a failure', () => {
    expect(describeFailure(new DOMException('', 'AbortError')).exitCode).toBe(130)
  })
})

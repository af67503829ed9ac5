import { JobDeferred, JobInterrupted } from '@isopod/queue'
import { expect, it } from 'vitest'
import { CircuitBreaker, isHostFault } from '../../src/host/circuit-breaker.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('three consecutive faults open the breaker; after it has closed, one fault opens it again', async () => {
  const seen: string[] = []
  const closed = Promise.withResolvers<void>()
  const breaker = new CircuitBreaker({
    onOpen: () => seen.push('open'),
    onClose: () => {
      seen.push('close')
      closed.resolve()
    },
    openMs: 30,
  })
  breaker.failed()
  breaker.failed()
  expect(seen).toEqual([])
  breaker.failed()
  breaker.failed()
  expect(seen).toEqual(['open'])
  expect(breaker.open).toBe(true)
  await closed.promise
  expect([seen, breaker.open]).toEqual([['open', 'close'], false])
  breaker.failed()
  expect(seen).toEqual(['open', 'close', 'open'])
  breaker.stop()
  await sleep(60)
  expect(seen).toEqual(['open', 'close', 'open'])
})

it('an execution without a fault resets the breaker’s count', () => {
  const seen: string[] = []
  const breaker = new CircuitBreaker({ onOpen: () => seen.push('open'), onClose: () => {} })
  for (let round = 0; round < 5; round++) {
    breaker.failed()
    breaker.failed()
    breaker.succeeded()
  }
  expect(seen).toEqual([])
})

it.each([new JobDeferred(100, 'an equal job runs'), new JobInterrupted('shutdown')])(
  '$name does not count as a fault',
  (error) => {
    expect(isHostFault(error)).toBe(false)
    expect(isHostFault(new Error('the engine does not answer'))).toBe(true)
  },
)

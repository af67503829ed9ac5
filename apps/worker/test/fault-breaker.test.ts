import { expect, it } from 'vitest'
import { FaultBreaker } from '../src/fault-breaker.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('three faults in a row make a worker rest, once, and one more after the rest makes it rest again', async () => {
  const seen: string[] = []
  const breaker = new FaultBreaker({
    rest: () => seen.push('rest'),
    goOn: () => seen.push('go on'),
    restMs: 30,
  })
  breaker.failed()
  breaker.failed()
  expect(seen).toEqual([])
  breaker.failed()
  breaker.failed()
  expect(seen).toEqual(['rest'])
  expect(breaker.resting).toBe(true)
  await sleep(60)
  expect(seen).toEqual(['rest', 'go on'])
  breaker.failed()
  expect(seen).toEqual(['rest', 'go on', 'rest'])
  breaker.stop()
})

it('an execution that ends, however its program did, starts the count anew', () => {
  const seen: string[] = []
  const breaker = new FaultBreaker({ rest: () => seen.push('rest'), goOn: () => {} })
  for (let turn = 0; turn < 5; turn++) {
    breaker.failed()
    breaker.failed()
    breaker.passed()
  }
  expect(seen).toEqual([])
})

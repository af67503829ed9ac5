import { expect, it } from 'vitest'
import { EngineWatch } from '../../src/host/engine-watch.ts'

it('EngineWatch reports once that the engine is gone and once that it is back', async () => {
  const startedAt = performance.now()
  const changes: boolean[] = []
  let answers = true
  const watch = new EngineWatch({
    ping: async () => {
      if (!answers) throw new Error('gone')
    },
    onChange: (up) => changes.push(up),
  })
  await watch.check()
  await watch.check()
  expect(watch.wasDown(startedAt)).toBe(false)
  answers = false
  await watch.check()
  await watch.check()
  expect(watch.up).toBe(false)
  expect(watch.wasDown(startedAt)).toBe(true)
  const later = performance.now() + 1
  expect(watch.wasDown(later)).toBe(false)
  answers = true
  await Promise.all([watch.check(), watch.check()])
  expect(changes).toEqual([true, false, true])
})

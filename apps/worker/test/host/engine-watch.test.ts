import { expect, it } from 'vitest'
import { EngineWatch } from '../../src/host/engine-watch.ts'

it('EngineWatch reports once that the engine is gone and once that it is back', async () => {
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
  answers = false
  await watch.check()
  await watch.check()
  expect(watch.up).toBe(false)
  answers = true
  await Promise.all([watch.check(), watch.check()])
  expect(changes).toEqual([true, false, true])
})

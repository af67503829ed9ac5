import { createLogger } from '@isopod/telemetry'
import { expect, it } from 'vitest'
import { type Component, Lifecycle } from '../src/lifecycle.ts'

const logger = createLogger({ name: 'spec', level: 'silent' })

/** Components that record their starts and stops; those whose name begins with `broken` fail to start. */
function lifecycle(...names: string[]) {
  const seen: string[] = []
  const components = names.map(
    (name): Component => ({
      name,
      start: async () => {
        if (name.startsWith('broken')) throw new Error(`${name} did not start`)
        seen.push(`start ${name}`)
      },
      stop: () => seen.push(`stop ${name}`),
    }),
  )
  return { seen, life: new Lifecycle(components, { stopMs: 1_000, logger }) }
}

it('components start in order, stop in reverse, and do so once', async () => {
  const { seen, life } = lifecycle('one', 'two')
  await Promise.all([life.start(), life.start()])
  expect(await Promise.all([life.stop('spec'), life.stop('spec')])).toEqual([true, true])
  expect(seen).toEqual(['start one', 'start two', 'stop two', 'stop one'])
})

it('the start rejects with the error of a component that fails to start, and stops the components before it', async () => {
  const { seen, life } = lifecycle('one', 'broken two', 'three')
  await expect(life.start()).rejects.toThrow('broken two did not start')
  expect(seen).toEqual(['start one', 'stop one'])
})

it('a stop during the start waits for the component that is starting, and starts no other', async () => {
  const { seen, life } = lifecycle('one', 'two')
  const started = life.start()
  await life.stop('spec')
  await started
  expect(seen).toEqual(['start one', 'stop one'])
})

it('a stop during the start stops the components that need no start, also those after the one that is starting', async () => {
  const seen: string[] = []
  const starting = Promise.withResolvers<void>()
  const life = new Lifecycle(
    [
      { name: 'one', start: () => starting.promise, stop: () => seen.push('one') },
      { name: 'two', stop: () => seen.push('two') },
      { name: 'three', start: () => seen.push('start three'), stop: () => seen.push('three') },
    ],
    { stopMs: 1_000, logger },
  )
  const started = life.start()
  const stopped = life.stop('spec')
  starting.resolve()
  await Promise.all([started, stopped])
  expect(seen).toEqual(['two', 'one'])
})

it('a stop returns false if a component fails to stop, and stops the others', async () => {
  const seen: string[] = []
  const broken = () => Promise.reject(new Error('stuck'))
  const life = new Lifecycle(
    [
      { name: 'one', stop: () => seen.push('one') },
      { name: 'two', stop: broken },
    ],
    {
      stopMs: 1_000,
      logger,
    },
  )
  await life.start()
  expect(await life.stop('spec')).toBe(false)
  expect(seen).toEqual(['one'])
})

import { createLogger } from '@isopod/telemetry'
import { expect, it } from 'vitest'
import { shutDown } from '../src/shutdown.ts'

const logger = createLogger({ name: 'test', level: 'silent' })

it('shutDown runs every step in order, whatever the steps before it did', async () => {
  const turns: string[] = []
  const steps = [
    {
      name: 'throws',
      run: () => {
        turns.push('throws')
        throw new Error('x')
      },
    },
    {
      name: 'hangs',
      run: () => {
        turns.push('hangs')
        return new Promise<void>(() => {})
      },
    },
    {
      name: 'works',
      run: async () => {
        turns.push('works')
      },
    },
  ]
  expect(await shutDown(steps, 300, logger)).toBe(false)
  expect(turns).toEqual(['throws', 'hangs', 'works'])
})

it('shutDown resolves with true if every step succeeded', async () => {
  expect(await shutDown([{ name: 'works', run: () => 1 }], 1000, logger)).toBe(true)
})

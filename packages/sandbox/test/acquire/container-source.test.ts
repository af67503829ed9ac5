import { expect, it } from 'vitest'
import { maxUseMs } from '../../src/acquire/container-source.ts'
import { limits, SHELL, script } from '../support/execution.ts'

it('maxUseMs includes the limits of all runs and the time between them', () => {
  const own = limits({ timeoutSeconds: 1 })
  const one = maxUseMs(script('', { limits: own }))
  const runs = Array.from({ length: 500 }, () => ({ limits: own }))
  const many = maxUseMs(script('', { limits: own, runs }))
  // Cleaning up thousands of files and processes after a run took a third of a second; 5 s leave room for slower hosts.
  expect(many - one).toBeGreaterThan(499 * (1_000 + 5_000))
  const compiled = { ...SHELL, compile: ['true'] }
  expect(maxUseMs(script('', { limits: own, language: compiled }))).toBe(one + 30_000)
})

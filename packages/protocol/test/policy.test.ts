import { describe, expect, it } from 'vitest'
import { ConfigError, type Policy, parseJob, parsePolicy, stricterPolicy } from '../src/index.ts'

describe('a policy', () => {
  it.each<[string, Policy]>([
    ['off', { mode: 'off', rules: 'standard' }],
    ['warn', { mode: 'warn', rules: 'standard' }],
    ['enforce', { mode: 'enforce', rules: 'standard' }],
    ['warn:standard', { mode: 'warn', rules: 'standard' }],
    ['enforce:strict', { mode: 'enforce', rules: 'strict' }],
  ])('is written as %s', (text, policy) => {
    expect(parsePolicy(text)).toEqual(policy)
  })

  it.each(['', 'on', 'strict', 'enforce:', ':strict', 'enforce:lax', 'enforce:strict:', 'ENFORCE', ' warn'])(
    'is not written as %j',
    (text) => {
      expect(() => parsePolicy(text)).toThrow(ConfigError)
      expect(() => parsePolicy(text)).toThrow(
        `must be off, warn, enforce, alone or with :standard or :strict, got ${JSON.stringify(text)}`,
      )
    },
  )

  it('is warn and standard by default, for each part separately', () => {
    expect(parseJob({ code: 'x' }).policy).toEqual({ mode: 'warn', rules: 'standard' })
    expect(parseJob({ code: 'x', policy: { mode: 'enforce' } }).policy).toEqual({
      mode: 'enforce',
      rules: 'standard',
    })
  })
})

it.each([
  ['off', 'off', 'off'],
  ['off', 'warn:strict', 'warn:strict'],
  ['warn:strict', 'enforce', 'enforce:strict'],
  ['enforce:strict', 'off', 'enforce:strict'],
  ['enforce', 'off:strict', 'enforce:strict'],
])('of %s and %s, the stricter is %s, either way round', (one, other, stricter) => {
  const [a, b] = [parsePolicy(one), parsePolicy(other)]
  expect(stricterPolicy(a, b)).toEqual(parsePolicy(stricter))
  expect(stricterPolicy(b, a)).toEqual(parsePolicy(stricter))
})

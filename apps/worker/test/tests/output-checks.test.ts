import { setTimeout as sleep } from 'node:timers/promises'
import { RetryableError } from '@isopod/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { CheckerFaultError } from '../../src/tests/checker-fault.ts'
import { OutputChecks } from '../../src/tests/output-checks.ts'

const LONG = 'word '.repeat(10_000)
/** Linear as all of them, and yet minutes of it: thousands of states at each of so many characters. */
const SLOW = `.*${'a{0,900}'.repeat(5)}b`
const MANY = 'a'.repeat(1_000_000)

describe('checks of outputs', () => {
  let checks: OutputChecks
  afterEach(() => checks.close())

  it('come to the same in the thread and beside it', async () => {
    checks = new OutputChecks()
    expect(await checks.check({ type: 'tokens' }, '1 2', '1  2')).toBeUndefined()
    expect(await checks.check({ type: 'tokens' }, LONG, `${LONG}\n`)).toBeUndefined()
    expect(await checks.check({ type: 'tokens' }, LONG, `${LONG}x`)).toBe(
      'token 10001: expected no more, got "x"',
    )
    expect(await checks.check({ type: 'regex' }, 'a+', 'a+')).toContain('expected a match')
    expect(await checks.expressionProblem('a+')).toBeUndefined()
    expect(await checks.expressionProblem('(')).toContain('is no regular expression')
  })

  it('do not keep this thread from its other work, whatever the expression, and whatever it is held against', async () => {
    checks = new OutputChecks(2_000)
    const large = 'a{1000}'.repeat(1_000)
    for (const ask of [
      () => checks.expressionProblem(large),
      () => checks.check({ type: 'regex' }, large, large),
    ]) {
      const asked = ask().then(
        () => 'the expression',
        () => 'the expression',
      )
      expect(await Promise.race([asked, sleep(50, 'other work')])).toBe('other work')
      await asked
    }
  })

  it('end alone if their expression takes too long, which is the fault of nobody but its author', async () => {
    checks = new OutputChecks(2_000)
    const slow = checks.check({ type: 'regex' }, SLOW, MANY)
    const behind = checks.check({ type: 'trimmed' }, LONG, `${LONG}x`)
    await expect(slow).rejects.toThrow(CheckerFaultError)
    expect(await behind).toContain('line 1')
  })

  it('are to be made elsewhere when the worker stops', async () => {
    checks = new OutputChecks()
    const open = checks.check({ type: 'trimmed' }, LONG, `${LONG}x`)
    checks.close()
    await expect(open).rejects.toThrow(RetryableError)
  })
})

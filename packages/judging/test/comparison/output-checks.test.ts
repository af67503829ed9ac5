import { setTimeout as sleep } from 'node:timers/promises'
import { RetryableError } from '@isopod/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { type CheckBudget, OutputChecks } from '../../src/comparison/output-checks.ts'

const LONG = 'word '.repeat(10_000)
/** Takes minutes although matching is linear: each character of a long text meets thousands of states. */
const SLOW = `.*${'a{0,900}'.repeat(5)}b`
const MANY = 'a'.repeat(1_000_000)
/** Nearly ten megabytes of short, distinct words. */
const PIECES = Array.from({ length: 1_700_000 }, (_, n) => (n + 46_656).toString(36))

function open(budget: Partial<CheckBudget> = {}): OutputChecks {
  const checks = new OutputChecks(budget)
  onTestFinished(() => checks.close())
  return checks
}

const tenant = (name: string) => ({ tenant: name })

// promise: tests
describe('comparisons of outputs', () => {
  it('have the same results in a worker thread and in the main thread', async () => {
    const checks = open().ofJob(tenant('a'))
    expect(await checks.check({ type: 'tokens' }, '1 2', '1  2')).toBeUndefined()
    expect(await checks.check({ type: 'tokens' }, LONG, `${LONG}\n`)).toBeUndefined()
    expect(await checks.check({ type: 'tokens' }, LONG, `${LONG}x`)).toBe(
      'token 10001: expected no more, got "x"',
    )
    expect(await checks.check({ type: 'regex' }, 'a+', 'a+')).toContain('expected a match')
    expect(await checks.expressionProblem('a+')).toBeUndefined()
    expect(await checks.expressionProblem('(')).toContain('is not a regular expression')
  })

  it('do not block the main thread, whatever the expression and its input', async () => {
    const checks = open({ checkCpuMs: 300 }).ofJob(tenant('a'))
    const large = 'a{1000}'.repeat(1_000)
    for (const ask of [
      () => checks.expressionProblem(large),
      () => checks.check({ type: 'regex' }, large, large),
    ]) {
      const asked = ask().then(() => 'the expression')
      expect(await Promise.race([asked, sleep(50, 'other work')])).toBe('other work')
      await asked
    }
  })

  it('fail the test case if one comparison, or all of a job, take too much CPU time', async () => {
    const checks = open({ checkCpuMs: 400, jobCpuMs: 600 })
    const job = checks.ofJob(tenant('a'))
    const slow = () => job.check({ type: 'regex' }, SLOW, MANY)
    expect(await slow()).toBe('the comparison took more than 0.4 s of CPU time')
    const all = 'the comparison took more than the 0.6 s of CPU time that all comparisons of a job may take'
    expect(await slow()).toBe(all)
    expect(await slow()).toBe(all)
    expect(await job.expressionProblem('a+')).toBe(
      'takes more than the 0.6 s of CPU time that all comparisons of a job may take to be parsed',
    )
    // A comparison in the main thread is not charged, and another job has its own account.
    expect(await job.check({ type: 'trimmed' }, '1', '1\n')).toBeUndefined()
    expect(await checks.ofJob(tenant('a')).expressionProblem('a+')).toBeUndefined()
  })

  it('fail the test case if they take too much memory', async () => {
    const checks = open({ heapMb: 24 }).ofJob(tenant('a'))
    const large = 'a{1000}'.repeat(200)
    expect(await checks.check({ type: 'regex' }, large, MANY)).toBe(
      'the comparison took more than 24 MiB of memory',
    )
    expect(await checks.expressionProblem(large)).toBe('takes more than 24 MiB of memory to be parsed')
    expect(await checks.check({ type: 'trimmed' }, LONG, `${LONG}\n`)).toBeUndefined()
  })

  it(
    'of the longest outputs stay within the budget, whatever the outputs contain',
    async () => {
      const job = open().ofJob(tenant('a'))
      const names = `{${PIECES.slice(0, 1_300_000).map((piece) => `"${piece}":0`)}}`
      const lines = PIECES.join('\n')
      for (const text of [names, lines]) expect(text.length).toBeGreaterThan(8_000_000)
      expect(await job.check({ type: 'json' }, names, ` ${names}`)).toBeUndefined()
      expect(await job.check({ type: 'lines' }, lines, PIECES.toReversed().join('\n'))).toBeUndefined()
    },
    scaled(120_000),
  )

  it(
    'of many heavy jobs do not delay those of light jobs',
    async () => {
      const checks = open({ checkCpuMs: 300 })
      const done: string[] = []
      const heavy = Array.from({ length: 5 }, async (_, n) => {
        await checks.ofJob(tenant(`heavy-${n}`)).check({ type: 'regex' }, SLOW, MANY)
        done.push('heavy')
      })
      const light = Array.from({ length: 8 }, async (_, n) => {
        expect(
          await checks.ofJob(tenant(`light-${n}`)).check({ type: 'trimmed' }, LONG, `${LONG}x`),
        ).toContain('line 1')
        done.push('light')
      })
      await Promise.all([...heavy, ...light])
      expect(done.slice(0, 8)).toEqual(Array(8).fill('light'))
    },
    scaled(120_000),
  )

  it('alternate between tenants, however many one tenant has', async () => {
    const checks = open()
    const done: string[] = []
    const compare = async (name: string) => {
      await checks.ofJob(tenant(name)).check({ type: 'tokens' }, LONG.repeat(20), `${LONG.repeat(20)}x`)
      done.push(name)
    }
    await Promise.all([...Array.from({ length: 6 }, () => compare('many')), compare('one')])
    expect(done.indexOf('one')).toBeLessThanOrEqual(2)
  })

  it(
    'of a job that has used much CPU time come after those of other jobs',
    async () => {
      const checks = open({ checkCpuMs: 600 })
      const slow = (name: string) => checks.ofJob(tenant(name)).check({ type: 'regex' }, SLOW, MANY)
      const busy = checks.ofJob(tenant('busy'))
      await busy.check({ type: 'regex' }, SLOW, MANY)
      const done: string[] = []
      const heavy = Array.from({ length: 4 }, (_, n) => slow(`heavy-${n}`))
      const light = [busy, checks.ofJob(tenant('light'))].map(async (job, n) => {
        await job.check({ type: 'trimmed' }, LONG, `${LONG}x`)
        done.push(n === 0 ? 'busy' : 'light')
      })
      await Promise.all([...heavy, ...light])
      expect(done).toEqual(['light', 'busy'])
    },
    scaled(60_000),
  )

  it('end when their job is cancelled', async () => {
    const abort = new AbortController()
    const job = open().ofJob(tenant('a'), abort.signal)
    const reason = new Error('cancelled')
    const ended = [1, 2].map(() => expect(job.check({ type: 'regex' }, SLOW, MANY)).rejects.toBe(reason))
    setTimeout(() => abort.abort(reason), 50)
    await Promise.all(ended)
  })

  it('reject with a retryable error when the worker stops', async () => {
    const checks = open()
    const running = checks.ofJob(tenant('a')).check({ type: 'trimmed' }, LONG, `${LONG}x`)
    const reported = expect(running).rejects.toThrow(RetryableError)
    await checks.close()
    await reported
  })
})

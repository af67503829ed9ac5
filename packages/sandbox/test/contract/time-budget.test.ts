import { describe, expect, it } from 'vitest'
import { TimeBudget } from '../../src/contract/time-budget.ts'
import { wallMsOf } from '../../src/program/classified-run.ts'
import { classifyRun } from '../../src/program/classify-run.ts'
import { limits } from '../support/execution.ts'
import { lost, report } from '../support/report.ts'

function world(seconds: number) {
  const clock = { ms: 0 }
  return { clock, budget: new TimeBudget(seconds, () => clock.ms) }
}

// promise: job-seconds
describe('the time of a job', () => {
  it('passes only while an execution has a container', () => {
    const { clock, budget } = world(10)
    clock.ms = 5_000
    expect(budget.leftMs).toBe(10_000)
    const stop = budget.start()
    clock.ms = 7_000
    expect(budget.leftMs).toBe(8_000)
    stop()
    stop()
    clock.ms = 50_000
    expect(budget.leftMs).toBe(8_000)
    budget.start()
    clock.ms = 57_999.5
    expect(budget).toMatchObject({ leftMs: 0.5, isSpent: true })
    clock.ms = 90_000
    expect(budget.leftMs).toBe(0)
  })

  it('passes once for simultaneous executions', () => {
    const { clock, budget } = world(10)
    const stops = [budget.start(), budget.start()]
    clock.ms = 3_000
    stops[0]?.()
    clock.ms = 4_000
    stops[1]?.()
    clock.ms = 9_000
    expect(budget.leftMs).toBe(6_000)
  })

  it('limits a run to the rest, and never to 0, which means no limit to init', () => {
    const { clock, budget } = world(10)
    expect(wallMsOf(5, undefined)).toBe(5_000)
    expect(wallMsOf(5, budget)).toBe(5_000)
    expect(wallMsOf(50, budget)).toBe(10_000)
    budget.start()
    clock.ms = 9_999.9
    expect(wallMsOf(5, budget)).toBe(1)
  })
})

// promise: job-seconds
describe('a run whose job had less time left than the run’s own limit', () => {
  const asked = limits({ timeoutSeconds: 30, jobSeconds: 8 })
  const late = {
    status: 'timeout',
    limit: 'job',
    errorMessage: 'The whole job used up its 8 seconds (limits.jobSeconds)',
  }

  it.each([
    ['was ended by init', report({ limit: 'timeout', exitCode: null, signal: 9 })],
    ['exceeded that time before init noticed', report({ wallMs: 2_300 })],
    ['was ended by the worker', lost('backstop')],
  ])('is a timeout of the job if it %s', (_, given) => {
    expect(classifyRun(given, asked, 'a', 2_000)).toMatchObject(late)
  })

  it('keeps its status if it ended in time', () => {
    expect(classifyRun(report({ wallMs: 1_900 }), asked, 'a', 2_000)).toMatchObject({ status: 'success' })
    expect(classifyRun(report({ exitCode: null, signal: 9, limit: 'cpu' }), asked, 'a', 2_000).limit).toBe(
      'cpu',
    )
  })
})

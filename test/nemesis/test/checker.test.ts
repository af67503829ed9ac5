import { expect, it } from 'vitest'
import { checkLedger } from '../checker.ts'
import { type DeliveredResult, Ledger } from '../ledger.ts'

const PROGRAM = { job: { code: 'echo 0' }, status: 'success', stdout: '0\n' } as const

function resultOf(changes: Partial<DeliveredResult['result']> = {}): DeliveredResult['result'] {
  return {
    id: 'a',
    status: 'success',
    stdout: '0\n',
    workerId: 'w1',
    attempt: 1,
    errorMessage: null,
    ...changes,
  }
}

/** A ledger with one accepted job, and these results. */
function ledgerWith(...results: DeliveredResult['result'][]): Ledger {
  const ledger = new Ledger()
  ledger.accept(ledger.plan(0, PROGRAM), 'a')
  for (const result of results) ledger.deliver(result)
  return ledger
}

it('the checker finds nothing if each job has its result, also if that is delivered again', () => {
  const nothing = { lost: [], doubled: [], wrong: [] }
  expect(checkLedger(ledgerWith(resultOf()))).toEqual({ ...nothing, repeated: 0 })
  expect(checkLedger(ledgerWith(resultOf(), resultOf()))).toEqual({ ...nothing, repeated: 1 })
})

it('the checker notices an accepted job without a result, and a job that was never accepted', () => {
  const ledger = ledgerWith()
  ledger.plan(1, PROGRAM)
  expect(checkLedger(ledger).lost).toEqual(['a has no result', 'job-1 was never accepted'])
  expect(ledger.isComplete()).toBe(false)
  expect(checkLedger(ledger, { mayLoseJobs: true }).lost).toEqual([])
})

it('the checker notices two results of a job, two ids of a job, and a result without a job', () => {
  expect(checkLedger(ledgerWith(resultOf(), resultOf({ workerId: 'w2', attempt: 2 }))).doubled).toEqual([
    'a has 2 results',
  ])
  const ledger = ledgerWith(resultOf(), resultOf({ id: 'b' }), resultOf({ id: 'c' }))
  ledger.accept('job-0', 'b')
  expect(checkLedger(ledger).doubled).toEqual(['job-0 has the ids a, b', 'c was never submitted'])
})

it('the checker notices a program that is blamed for a fault, and an output of another program', () => {
  const blamed = resultOf({ status: 'execution_error', errorMessage: 'killed' })
  expect(checkLedger(ledgerWith(blamed)).wrong).toEqual(['a is execution_error, not success: killed'])
  expect(checkLedger(ledgerWith(resultOf({ stdout: '1\n' }))).wrong).toEqual(['a printed "1\\n", not "0\\n"'])
})

import { expect, it } from 'vitest'
import { documentedStatus, isAttributable, STATUSES } from '../src/status.ts'

it('only platform faults and cancellations say nothing about the code', () => {
  expect(STATUSES.filter((status) => !isAttributable(status))).toEqual(['cancelled', 'setup_error'])
})

it('every status maps to one of the four documented ones', () => {
  expect(
    Object.fromEntries(
      STATUSES.map((status) => [status, documentedStatus({ status, attributable: isAttributable(status) })]),
    ),
  ).toEqual({
    success: 'success',
    execution_error: 'execution_error',
    compile_error: 'execution_error',
    timeout: 'timeout',
    memory_exceeded: 'execution_error',
    output_exceeded: 'execution_error',
    validation_error: 'setup_error',
    cancelled: 'setup_error',
    setup_error: 'setup_error',
  })
})

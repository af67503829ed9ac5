import { expect, it } from 'vitest'
import { sampleResult } from '../../../test/support/samples.ts'
import { copiedFields, parseJob, withoutCopiedFields } from '../src/index.ts'

it('a result copies exactly the fields that its job sets', () => {
  expect(copiedFields(parseJob({ code: 'a' }))).toEqual({ tenant: 'default' })
  const labels = { run: '7' }
  expect(copiedFields(parseJob({ code: 'a', tenant: 't', batchId: 'b', labels }))).toEqual({
    tenant: 't',
    batchId: 'b',
    labels,
  })
})

it('a result for another job has none of the copied fields and all others', () => {
  const result = { ...sampleResult(), tenant: 't', batchId: 'b', labels: { run: '7' } }
  const { tenant: _, batchId: __, labels: ___, ...others } = result
  expect(withoutCopiedFields(result)).toEqual(others)
})

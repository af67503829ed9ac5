import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OutputCollector } from '../../src/program/output.ts'

it('the output of a run keeps the first bytes up to the limit, however they arrive', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 20_000 }),
      fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 12 }),
      (limit, chunks) => {
        const collector = new OutputCollector(limit)
        const kept = chunks.map((chunk) => collector.push(chunk))
        const all = Buffer.concat(chunks)
        expect(Buffer.concat(kept)).toEqual(all.subarray(0, limit))
        expect(Buffer.from(collector.finish().bytes)).toEqual(all.subarray(0, limit))
      },
    ),
  )
})

it('the output of a run reports the number of bytes that init counted', () => {
  const collector = new OutputCollector(2)
  collector.push(Buffer.from('abc'))
  expect(collector.finish({ produced: 3, truncated: true })).toMatchObject({ produced: 3, truncated: true })
})

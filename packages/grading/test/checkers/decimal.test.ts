import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalDecimal } from '../../src/checkers/decimal.ts'

it.each([
  ['1.50e3', '15e2'],
  ['1500', '15e2'],
  ['0.0015E+6', '15e2'],
  ['-0.0', '0'],
  ['0e99', '0'],
  ['-10', '-1e1'],
  ['0.1', '1e-1'],
  ['1e999999999999999999999', '1e999999999999999999999'],
])('canonicalDecimal writes %s as %s', (text, canonical) => {
  expect(canonicalDecimal(text)).toBe(canonical)
})

it('canonicalDecimal reads a number as long as the longest output', () => {
  const long = `1${'0'.repeat(10_000_000)}1`
  expect(canonicalDecimal(`${long}0`)).toBe(`${long}e1`)
})

it('canonicalDecimal gives two numbers the same text exactly if they are equal', () => {
  const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
  const written = fc.record({ digits, shift: fc.integer({ min: 0, max: 30 }) })
  fc.assert(
    fc.property(written, written, (one, other) => {
      const text = ({ digits, shift }: typeof one) => canonicalDecimal(`${digits}e-${shift}`)
      const equal = one.digits * 10n ** BigInt(other.shift) === other.digits * 10n ** BigInt(one.shift)
      expect(text(one) === text(other)).toBe(equal)
    }),
  )
})

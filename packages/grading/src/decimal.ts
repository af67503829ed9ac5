const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/
/** Longest exponent that is counted with; of a longer one not even its own number of digits means anything. */
const LONGEST_EXPONENT = 1_000

/**
 * A decimal number in the one way of writing it, so that equal numbers are equal texts: `1.50e3`, `1500` and `15e2` are `15e2`.
 * No digit is lost, however long it is; -0 is 0. Behind an exponent of more than a thousand digits the text stays as it is.
 *
 * @param text as JSON writes a number; also with a plus, or with no digit on one side of the point
 */
export function canonicalDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return '0'
  if (exponent.length > LONGEST_EXPONENT) return text
  // Not by an expression: it would begin anew at each zero.
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const zeros = BigInt(digits.length - end)
  return `${sign === '-' ? '-' : ''}${digits.slice(0, end)}e${BigInt(exponent) - BigInt(fraction.length) + zeros}`
}

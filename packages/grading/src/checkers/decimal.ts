const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/
/** Maximum length of an exponent, in digits. */
const MAX_EXPONENT_DIGITS = 1_000

/**
 * The canonical form of a decimal number, so that equal numbers are equal texts: `1.50e3`, `1500` and `15e2` become `15e2`.
 * Keeps all digits; -0 becomes 0. A number with an exponent of more than a thousand digits stays unchanged.
 *
 * @param text a JSON number; a plus sign and a missing digit on one side of the point are accepted too
 */
export function canonicalDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return '0'
  if (exponent.length > MAX_EXPONENT_DIGITS) return text
  // Not with an expression, which would retry at each zero.
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const zeros = BigInt(digits.length - end)
  return `${sign === '-' ? '-' : ''}${digits.slice(0, end)}e${BigInt(exponent) - BigInt(fraction.length) + zeros}`
}

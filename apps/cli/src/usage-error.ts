/** The command was called wrongly; the message is the sentence that its user reads. */
export class UsageError extends Error {
  readonly code = 'usage'
}

/**
 * A whole number as the command line has it.
 *
 * @throws {UsageError} naming the option, what was wanted and what was given
 */
export function wholeNumber(option: string, value: string, max: number): number {
  if (/^[1-9]\d{0,8}$/.test(value) && Number(value) <= max) return Number(value)
  throw new UsageError(`${option}: must be a whole number from 1 to ${max}, got ${JSON.stringify(value)}`)
}

/**
 * A name as the command line has it: of a tenant, of a batch.
 *
 * @throws {UsageError} naming the option, what was wanted and what was given
 */
export function plainName(option: string, value: string, maxLength: number): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value) && value.length <= maxLength) return value
  throw new UsageError(
    `${option}: must be 1 to ${maxLength} characters of a-z, A-Z, 0-9, ".", "_" and "-", starting with a letter or digit, got ${JSON.stringify(value)}`,
  )
}

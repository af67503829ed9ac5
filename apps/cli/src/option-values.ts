import { UsageError } from '@isopod/service-kit'

const MAX_PORT = 65_535

/**
 * Parses a whole number of the command line.
 *
 * @throws {UsageError} naming the option, what was wanted and what was given
 */
export function wholeNumber(option: string, value: string, max: number): number {
  if (/^[1-9]\d{0,8}$/.test(value) && Number(value) <= max) return Number(value)
  throw new UsageError(`${option}: must be a whole number from 1 to ${max}, got ${JSON.stringify(value)}`)
}

/**
 * Parses a port of the command line; 0 selects a free one.
 *
 * @throws {UsageError} naming the option, what was wanted and what was given
 */
export function portNumber(option: string, value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= MAX_PORT) return Number(value)
  throw new UsageError(
    `${option}: must be a port from 1 to ${MAX_PORT}, or 0 for a free one, got ${JSON.stringify(value)}`,
  )
}

/**
 * Checks a name on the command line, for example of a tenant.
 *
 * @throws {UsageError} naming the option, what was wanted and what was given
 */
export function plainName(option: string, value: string, maxLength: number): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value) && value.length <= maxLength) return value
  throw new UsageError(
    `${option}: must be 1 to ${maxLength} characters of a-z, A-Z, 0-9, ".", "_" and "-", starting with a letter or digit, got ${JSON.stringify(value)}`,
  )
}

/**
 * Parses the values of a repeatable option NAME=VALUE.
 *
 * @throws {UsageError} naming the option, what was wanted and what was given
 */
export function namesAndValues(option: string, given: readonly string[]): Record<string, string> {
  const pairs = given.map((text) => {
    const end = text.indexOf('=')
    if (end < 1) throw new UsageError(`${option}: must be NAME=VALUE, got ${JSON.stringify(text)}`)
    return [text.slice(0, end), text.slice(end + 1)] as const
  })
  return Object.fromEntries(pairs)
}

import { UsageError } from '@isopod/service-kit'

/**
 * Checks the id of a job on the command line.
 *
 * @throws {UsageError} if no job can have this id
 */
export function jobId(given: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(given)) return given
  throw new UsageError(`ID: must be an id as "isopod submit" prints it, got ${JSON.stringify(given)}`)
}

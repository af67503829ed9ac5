import { UsageError } from '../usage-error.ts'

/**
 * The id of a job, as the command line has it.
 *
 * @throws {UsageError} when no job can have it
 */
export function jobId(given: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(given)) return given
  throw new UsageError(`ID: must be an id as «isopod submit» prints it, got ${JSON.stringify(given)}`)
}

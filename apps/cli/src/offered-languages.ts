import type { LanguageSummary } from '@isopod/protocol'
import { type Io, note } from './io.ts'
import type { JobClient } from './job-client.ts'

/**
 * What the workers offer. If none has ever come, it is undefined, and a line says so: jobs then wait, perhaps for ever, and
 * their user should know what for.
 */
export async function offeredLanguages(
  io: Io,
  client: JobClient,
): Promise<readonly LanguageSummary[] | undefined> {
  const offered = await client.languages()
  if (offered === undefined) note(io, 'isopod: no worker has used this Redis yet; jobs wait until one does')
  return offered
}

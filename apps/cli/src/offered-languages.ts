import { findLanguage, imageRemedy, type LanguageSummary } from '@isopod/protocol'
import { type Io, note } from './io.ts'
import type { JobClient } from './job-client.ts'

/**
 * The languages that workers have registered; undefined if no worker ever has.
 *
 * Warns about languages whose jobs may not run now: without a worker they wait, and without their image they fail after all
 * retries. Another worker may still have the image.
 *
 * @param used names or aliases; undefined stands for the protocol's default
 */
export async function offeredLanguages(
  io: Io,
  client: JobClient,
  used: Iterable<string | undefined>,
): Promise<readonly LanguageSummary[] | undefined> {
  const offered = await client.languages()
  if (offered === undefined) {
    note(io, 'isopod: no worker has used this Redis yet; jobs wait until one does')
    return undefined
  }
  const languages = [...used].flatMap((name) =>
    name === undefined ? [] : (findLanguage(offered, name) ?? []),
  )
  const missing = new Set(languages.flatMap(({ missingImage }) => missingImage ?? []))
  for (const image of missing) {
    note(io, `isopod: a worker lacks image ${image}; jobs that need it fail there; ${imageRemedy(image)}`)
  }
  return offered
}

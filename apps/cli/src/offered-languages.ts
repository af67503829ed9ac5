import { findLanguage, imageRemedy, type LanguageSummary } from '@isopod/protocol'
import { type Io, note } from './io.ts'
import type { JobClient } from './job-client.ts'

/**
 * What the workers offer; undefined if none has ever come.
 *
 * A line says what stands in the way of jobs in these languages: without a worker they wait, perhaps for ever, and without
 * the image each fails, but only after its tries. It is no more than a hint, as another worker may have the image.
 *
 * @param used names or aliases; undefined where the protocol says which
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

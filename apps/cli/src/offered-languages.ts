import { findLanguage, imageRemedy, type LanguageSummary, rootRemedy } from '@isopod/protocol'
import { type Io, note } from './io.ts'
import type { JobClient } from './job-client.ts'

/** Warns if no worker is alive, because jobs then wait. @returns whether one is */
export async function warnWithoutWorker(io: Io, client: JobClient): Promise<boolean> {
  const { workers } = await client.queue()
  if (workers === 0) note(io, 'isopod: no worker is running; jobs wait until one starts')
  return workers > 0
}

/**
 * The languages that workers have registered; undefined if no worker ever has.
 *
 * Warns about jobs that may not run now: without a live worker they wait, and without the image of their language they fail after
 * all retries. Another worker may still have the image.
 *
 * @param used names or aliases; undefined stands for the protocol's default
 */
export async function offeredLanguages(
  io: Io,
  client: JobClient,
  used: Iterable<string | undefined>,
): Promise<readonly LanguageSummary[] | undefined> {
  const [offered] = await Promise.all([client.languages(), warnWithoutWorker(io, client)])
  if (offered === undefined) return undefined
  const languages = [...used].flatMap((name) =>
    name === undefined ? [] : (findLanguage(offered, name) ?? []),
  )
  const missing = new Set(languages.flatMap(({ missingImage }) => missingImage ?? []))
  const remedyOf = io.env['ISOPOD_DRIVER'] === 'process' ? rootRemedy : imageRemedy
  for (const image of missing) {
    note(io, `isopod: a worker lacks image ${image}; jobs that need it fail there; ${remedyOf(image)}`)
  }
  return offered
}

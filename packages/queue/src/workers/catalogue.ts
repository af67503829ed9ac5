import type { LanguageSummary } from '@isopod/protocol'
import type { Redis } from 'ioredis'
import { writeAtLimit } from '../redis/at-limit.ts'
import type { Keys } from '../redis/keys.ts'

/** Stores the languages that workers offer. The last worker to start wins, as all workers of a deployment share a catalogue. */
export async function writeCatalogue(
  redis: Redis,
  keys: Keys,
  languages: readonly LanguageSummary[],
): Promise<void> {
  const summaries = languages.map(({ name, version, aliases, separations, missingImage }) => ({
    ...{ name, version, aliases },
    ...(separations !== undefined && { separations }),
    ...(missingImage !== undefined && { missingImage }),
  }))
  await writeAtLimit(redis, 'SET', keys.catalogue, JSON.stringify(summaries))
}

/** Languages that workers offer; undefined if there are none stored, or if they cannot be read. */
export async function readCatalogue(redis: Redis, keys: Keys): Promise<LanguageSummary[] | undefined> {
  const text = await redis.get(keys.catalogue)
  if (text === null) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every(isSummary) ? value : undefined
  } catch {
    return undefined
  }
}

function isSummary(value: unknown): value is LanguageSummary {
  if (typeof value !== 'object' || value === null) return false
  const { name, version, aliases, separations, missingImage } = value as Record<string, unknown>
  return (
    typeof name === 'string' &&
    typeof version === 'string' &&
    isTexts(aliases) &&
    (separations === undefined || isTexts(separations)) &&
    (missingImage === undefined || typeof missingImage === 'string')
  )
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

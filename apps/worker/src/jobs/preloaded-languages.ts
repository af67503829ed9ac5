import type { Catalogue } from '@isopod/languages'
import { ConfigError, languageTag } from '@isopod/protocol'

/**
 * Names of the languages that are preloaded for every job.
 *
 * @param setting names or aliases separated by commas, `all` for every language that can be preloaded, empty for none
 * @throws {ConfigError} if a language is not in the catalogue or cannot be preloaded
 */
export function preloadedLanguages(setting: string, catalogue: Catalogue): ReadonlySet<string> {
  const able = catalogue.languages.filter(({ preload }) => preload !== undefined)
  if (setting.trim() === 'all') return new Set(able.map(({ name }) => name))
  const asked = setting.split(',').map((name) => name.trim())
  const found = asked.filter((name) => name !== '').map((name) => ({ name, language: catalogue.find(name) }))
  const wrong = found.filter(({ language }) => language?.preload === undefined)
  if (wrong.length > 0) {
    const allowed = able.map(languageTag).join(', ') || 'none'
    const given = wrong.map(({ name }) => JSON.stringify(name)).join(', ')
    throw new ConfigError(`ISOPOD_PRELOAD: must be all, or any of ${allowed}, got ${given}`)
  }
  return new Set(found.flatMap(({ language }) => (language ? [language.name] : [])))
}

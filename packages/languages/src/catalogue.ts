import { findLanguage, type Language, type LanguageSummary } from '@isopod/protocol'

/** The languages of a deployment. */
export interface Catalogue {
  /** All languages, in the order of the file. */
  readonly languages: readonly Language[]
  /**
   * Finds a language by name or alias, case-insensitively, optionally `name@version`.
   *
   * @returns undefined if the catalogue has none that fits
   */
  find(asked: string): Language | undefined
  /** What producers may know of each language. */
  summaries(): readonly LanguageSummary[]
}

/** Makes a catalogue of languages that were validated already; {@link loadCatalogue} reads one from a file. */
export function createCatalogue(languages: readonly Language[]): Catalogue {
  const summaries = languages.map(({ name, version, aliases }) => ({ name, version, aliases }))
  return {
    languages,
    find: (asked) => findLanguage(languages, asked),
    summaries: () => summaries,
  }
}

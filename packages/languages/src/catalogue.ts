import { fileURLToPath } from 'node:url'
import { findLanguage, type Language, type LanguageSummary, SEPARATIONS } from '@isopod/protocol'
import { validateCatalogue } from './validate.ts'

/** Path of the default catalogue, a YAML file. */
export const DEFAULT_CATALOGUE_PATH = fileURLToPath(new URL('../languages.yaml', import.meta.url))

/** The languages that a deployment offers. */
export interface Catalogue {
  /** All languages, in the order of the file. */
  readonly languages: readonly Language[]
  /**
   * Finds a language by name or alias, case-insensitively, optionally `name@version`.
   *
   * @returns undefined if the catalogue has no such language
   */
  find(asked: string): Language | undefined
  /** What producers learn about each language. */
  summaries(): readonly LanguageSummary[]
}

/**
 * Makes a catalogue from the parsed data of a catalogue file.
 *
 * @param document an object of language name → entry
 * @param path names the file in errors
 * @throws {ConfigError} with all problems of the file, each with language and field
 * @example
 * ```ts
 * compileCatalogue(parse(await readFile(DEFAULT_CATALOGUE_PATH, 'utf8')), 'languages.yaml').find('py')?.image
 * ```
 */
export function compileCatalogue(document: unknown, path: string): Catalogue {
  return createCatalogue(validateCatalogue(document, path))
}

/** Makes a catalogue from validated languages. */
export function createCatalogue(languages: readonly Language[]): Catalogue {
  const summaries = languages.map(({ name, version, aliases, script }): LanguageSummary => {
    const separations = script?.split === undefined ? (['none'] as const) : SEPARATIONS
    return { name, version, aliases, ...(script !== undefined && { separations }) }
  })
  return {
    languages,
    find: (asked) => findLanguage(languages, asked),
    summaries: () => summaries,
  }
}

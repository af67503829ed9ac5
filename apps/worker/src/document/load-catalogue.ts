import { type Catalogue, compileCatalogue, DEFAULT_CATALOGUE_PATH } from '@isopod/languages'
import { readDocument } from './read-document.ts'

/**
 * Reads and validates the language catalogue, once, when the worker starts.
 *
 * @param path a YAML or JSON file: an object of language name → entry. @default {@link DEFAULT_CATALOGUE_PATH}
 * @throws {ConfigError} that names the file and, for each problem, the language and the field
 */
export async function loadCatalogue(path: string = DEFAULT_CATALOGUE_PATH): Promise<Catalogue> {
  return compileCatalogue(await readDocument(path, 'the language catalogue'), path)
}

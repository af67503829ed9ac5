import { fileURLToPath } from 'node:url'
import { type Catalogue, createCatalogue } from './catalogue.ts'
import { readDocument } from './read-document.ts'
import { validateCatalogue } from './validate.ts'

/** The catalogue that comes with the package. */
export const DEFAULT_CATALOGUE_PATH = fileURLToPath(new URL('../languages.yaml', import.meta.url))

/**
 * Reads and validates a catalogue, once, when an app starts.
 *
 * @param path a YAML or JSON file: an object of language name → entry. @default {@link DEFAULT_CATALOGUE_PATH}
 * @throws {ConfigError} that names the file and, for each problem, the language and the field
 * @example
 * ```ts
 * const catalogue = await loadCatalogue(process.env.SANDBOX_LANGUAGE_CONFIG_FILE)
 * catalogue.find('py')?.image // 'isopod/python:3.13'
 * ```
 */
export async function loadCatalogue(path: string = DEFAULT_CATALOGUE_PATH): Promise<Catalogue> {
  const document = await readDocument(path, 'the language catalogue')
  return createCatalogue(validateCatalogue(document, path))
}

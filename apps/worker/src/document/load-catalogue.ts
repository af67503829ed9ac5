import {
  type Catalogue,
  compileCatalogue,
  DEFAULT_CATALOGUE_PATH,
  fillPrograms,
  programPath,
} from '@isopod/languages'
import { readDocument, readDocumentText } from './read-document.ts'

/**
 * Reads and validates the language catalogue, once, when the worker starts.
 *
 * @param path a YAML or JSON file: an object of language name → entry; the programs that it names lie beside it.
 * @default {@link DEFAULT_CATALOGUE_PATH}
 * @throws {ConfigError} that names the file and, for each problem, the language and the field
 */
export async function loadCatalogue(path: string = DEFAULT_CATALOGUE_PATH): Promise<Catalogue> {
  const document = await readDocument(path, 'the language catalogue')
  const read = (file: string) => readDocumentText(programPath(file, path), `a program of ${path}`)
  return compileCatalogue(await fillPrograms(document, read), path)
}

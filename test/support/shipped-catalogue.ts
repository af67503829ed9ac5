import { readFile } from 'node:fs/promises'
import {
  type Catalogue,
  compileCatalogue,
  DEFAULT_CATALOGUE_PATH,
  fillPrograms,
  programPath,
} from '@isopod/languages'
import { parse } from 'yaml'

/** The default catalogue of workers. */
export async function shippedCatalogue(): Promise<Catalogue> {
  const document: unknown = parse(await readFile(DEFAULT_CATALOGUE_PATH, 'utf8'))
  const read = (file: string) => readFile(programPath(file, DEFAULT_CATALOGUE_PATH), 'utf8')
  return compileCatalogue(await fillPrograms(document, read), DEFAULT_CATALOGUE_PATH)
}

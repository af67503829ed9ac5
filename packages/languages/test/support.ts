import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { type Catalogue, compileCatalogue, DEFAULT_CATALOGUE_PATH } from '../src/catalogue.ts'

/** A folder that is gone when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-languages-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The catalogue that comes with the package. */
export async function shippedCatalogue(): Promise<Catalogue> {
  return compileCatalogue(parse(await readFile(DEFAULT_CATALOGUE_PATH, 'utf8')), DEFAULT_CATALOGUE_PATH)
}

/** A valid entry, with whatever a test wants to be different. */
export function entry(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { image: 'debian:trixie-slim', filename: 'main.pl', command: ['perl', '{filename}'], ...changes }
}

import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'

/** Fields of an entry whose value may be a program in a file of its own. */
const PLACES = [
  ['*', 'script', 'program'],
  ['*', 'script', 'split', '*', '*'],
  ['*', 'input_hook', 'files', '*'],
  ['*', 'preload', 'files', '*'],
] as const

/** What the name of a program begins with that is the main file of an npm package. */
const PACKAGE = 'npm:'

/** Reads the text of a program. */
export type ReadProgram = (file: string) => Promise<string>

/**
 * Replaces references to program files, such as `{ file: programs/python/script.py }`, or `{ files: [...] }`, by the text of the
 * files.
 *
 * @param document the data of a catalogue file, not validated yet
 * @param read reads a file, whose name is relative to the catalogue; its rejection is passed on
 */
export async function fillPrograms(document: unknown, read: ReadProgram): Promise<unknown> {
  let filled = document
  for (const place of PLACES) filled = await fillPlace(filled, place, read)
  return filled
}

/**
 * Path of a program that a catalogue names.
 *
 * @param file a path relative to the catalogue, or `npm:` and the name of a dependency of this package: its main file
 * @param catalogue path of the catalogue
 */
export function programPath(file: string, catalogue: string): string {
  const isPackage = file.startsWith(PACKAGE)
  return isPackage
    ? createRequire(import.meta.url).resolve(file.slice(PACKAGE.length))
    : resolve(dirname(catalogue), file)
}

async function fillPlace(value: unknown, place: readonly string[], read: ReadProgram): Promise<unknown> {
  if (!isObject(value)) return value
  const [key, ...rest] = place
  if (key === undefined) return await readText(value, read)
  const keys = key === '*' ? Object.keys(value) : [key].filter((each) => Object.hasOwn(value, each))
  const entries = await Promise.all(
    keys.map(async (each) => [each, await fillPlace(value[each], rest, read)] as const),
  )
  return { ...value, ...Object.fromEntries(entries) }
}

/** The text that a reference stands for: that of its file, or of its files one after the other. */
async function readText(value: Readonly<Record<string, unknown>>, read: ReadProgram): Promise<unknown> {
  const { file, files = [file] } = value
  const isList = Array.isArray(files) && files.every((each) => typeof each === 'string')
  return isList ? (await Promise.all(files.map(read))).join('\n') : value
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

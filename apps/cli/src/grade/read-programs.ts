import { isUtf8 } from 'node:buffer'
import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatasetError, type Place } from '@isopod/grading'
import type { FileRecord } from './file-record.ts'
import { DATA_FILE } from './read-records.ts'

const PROGRAM = /\.py$/
/** EvalPlus writes the problem HumanEval/0 as HumanEval_0. */
const FOLDER_OF_PROBLEM = /^(.+)_(\d+)$/

/** Whether a path is a folder of {@link readPrograms}. */
export async function isProgramFolder(path: string): Promise<boolean> {
  const entries = await readdir(path, { withFileTypes: true }).catch((): Dirent[] => [])
  return entries.some(isShownFolder) && !entries.some(({ name }) => DATA_FILE.test(name))
}

/**
 * Reads the samples of a folder as EvalPlus does: one folder for each problem, in it one Python file for each sample, as in
 * `HumanEval_0/0.py`; in the order of their numbers.
 *
 * @throws {DatasetError} for a file that is not UTF-8
 */
export async function* readPrograms(path: string): AsyncGenerator<FileRecord> {
  const folders = (await readdir(path, { withFileTypes: true })).filter(isShownFolder)
  for (const folder of inOrder(folders.map(({ name }) => name))) {
    const task_id = folder.replace(FOLDER_OF_PROBLEM, '$1/$2')
    for (const name of inOrder(await readdir(join(path, folder))).filter((each) => PROGRAM.test(each))) {
      const place = { file: join(path, folder, name), line: 1 }
      yield { value: { task_id, solution: await textOf(place) }, place }
    }
  }
}

async function textOf(place: Place): Promise<string> {
  const bytes = await readFile(place.file)
  if (!isUtf8(bytes)) throw new DatasetError(place, 'must be UTF-8 text')
  return bytes.toString()
}

function isShownFolder(entry: Dirent): boolean {
  return entry.isDirectory() && !entry.name.startsWith('.')
}

function inOrder(names: readonly string[]): string[] {
  return names.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
}

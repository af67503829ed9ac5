import { access, constants, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { UsageError } from '@isopod/service-kit'
import { DATA_FILE } from './read-records.ts'

/**
 * Checks before the first sample runs that a file can be written. It must not replace an input file, nor be a data file in an
 * input folder, where the next run would read it.
 *
 * @param read input files and folders
 * @throws {UsageError} naming the option
 */
export async function checkOutput(option: string, path: string, read: readonly string[]): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory())
    throw new UsageError(`${option}: must be a file, and ${JSON.stringify(path)} is a folder`)
  const folder = dirname(resolve(path))
  await access(folder, constants.W_OK | constants.X_OK).catch(() => {
    throw new UsageError(`${option}: cannot write in ${JSON.stringify(folder)}`)
  })
  const target = DATA_FILE.test(path) ? [found, await stat(folder)] : [found]
  for (const input of read) {
    const known = await stat(input).catch(() => undefined)
    if (!target.some((one) => one?.ino === known?.ino && one?.dev === known?.dev && one !== undefined))
      continue
    const what = known?.isDirectory()
      ? `a data file in ${JSON.stringify(input)}, which is read`
      : 'an input file'
    throw new UsageError(`${option}: must not be ${what}, got ${JSON.stringify(path)}`)
  }
}

/** The file beside `path` that this process writes first. */
export function draftOf(path: string): string {
  return `${path}.${process.pid}.part`
}

/** Writes a file atomically: if the process ends early, the previous content stays. */
export async function writeAtomically(
  path: string,
  texts: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const draft = draftOf(path)
  try {
    {
      await using file = await open(draft, 'w')
      let unwritten = ''
      for await (const text of texts) {
        unwritten += text
        if (unwritten.length < 65_536) continue
        await file.writeFile(unwritten)
        unwritten = ''
      }
      await file.writeFile(unwritten)
      await file.sync()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

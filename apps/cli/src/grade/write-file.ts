import { access, constants, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { UsageError } from '../usage-error.ts'
import { DATA_FILE } from './read-records.ts'

/**
 * Says before hours of work whether a file can be written, and would take nothing from those that are read: it is written
 * over none of them, nor laid where the next run would take it for one.
 *
 * @param read files and folders of them
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
    const where = known?.isDirectory()
      ? `not be a data file in ${JSON.stringify(input)}, which is read`
      : 'be a file that is not read'
    throw new UsageError(`${option}: must ${where}, got ${JSON.stringify(path)}`)
  }
}

/** Writes a file that is either whole or as it was before, whatever ends the process. */
export async function writeWhole(
  path: string,
  texts: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const draft = `${path}.${process.pid}.part`
  try {
    {
      await using file = await open(draft, 'w')
      let waiting = ''
      for await (const text of texts) {
        waiting += text
        if (waiting.length < 65_536) continue
        await file.writeFile(waiting)
        waiting = ''
      }
      await file.writeFile(waiting)
      await file.sync()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

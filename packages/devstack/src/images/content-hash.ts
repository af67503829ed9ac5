import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/**
 * Fingerprint of files and folders: names and bytes, not times or owners. A missing path counts as empty.
 *
 * @param extra other inputs of the build
 * @returns 16 hexadecimal digits
 */
export async function contentHash(paths: readonly string[], extra: readonly string[] = []): Promise<string> {
  const hash = createHash('sha256')
  const add = (text: string | Buffer) => {
    hash.update(`${typeof text === 'string' ? Buffer.byteLength(text) : text.length}:`).update(text)
  }
  for (const path of paths) {
    for (const file of await filesBelow(path)) {
      add(relative(path, file))
      add(await readFile(file))
    }
  }
  for (const text of extra) add(text)
  return hash.digest('hex').slice(0, 16)
}

async function filesBelow(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return [path]
    if (code === 'ENOENT') return []
    throw error
  }
}

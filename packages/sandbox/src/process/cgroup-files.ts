import { readFileSync, rmdirSync, writeFileSync } from 'node:fs'

/** Removes a directory without sandboxes. @returns whether it is gone */
export function removeEmpty(directory: string): boolean {
  try {
    rmdirSync(directory)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** Writes a file of a cgroup. @returns whether the kernel took it */
export function tryWriteFile(path: string, text: string): boolean {
  try {
    writeFileSync(path, text)
    return true
  } catch {
    return false
  }
}

/** The text of a file, trimmed; undefined if it cannot be read. */
export function readCgroupFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

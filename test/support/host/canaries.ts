import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Observer } from './observer.ts'

/** Files of the host with a secret, which no program in a container may read or change. */
export interface Canaries extends Observer {
  /** Paths of the files. */
  readonly paths: readonly string[]
  /** Their content, a unique text. */
  readonly secret: string
}

/**
 * Creates one readable and writable file in a new folder of each place, and watches the files and their folders. It also
 * reports entries of the places that have the attack's marker in their name.
 */
export async function plantCanaries(places: readonly string[], marker: string): Promise<Canaries> {
  const [folder, secret] = ['isopod-canary', 'secret'].map(
    (word) => `${word}-${randomBytes(16).toString('hex')}`,
  )
  if (folder === undefined || secret === undefined) throw new Error('no names')
  const paths = places.map((place) => join(place, folder, 'canary'))
  const marked = async (place: string) =>
    (await readdir(place)).filter((name) => name.includes(marker)).map((name) => join(place, name))
  for (const path of paths) {
    // Open to all users, so that only the sandbox protects the file.
    await mkdir(dirname(path), { mode: 0o777 })
    await writeFile(path, secret, { mode: 0o666 })
  }
  return {
    paths,
    secret,
    async findings() {
      const found: string[] = []
      for (const path of paths) {
        const text = await readFile(path, 'utf8').catch(() => undefined)
        if (text !== secret) found.push(`${path} holds ${text ?? 'nothing'}`)
        const { nlink = 1 } = await stat(path).catch(() => ({ nlink: undefined }))
        if (nlink !== 1) found.push(`${path} has ${nlink} names`)
        const beside = (await readdir(dirname(path)).catch(() => [])).filter((name) => name !== 'canary')
        if (beside.length > 0) found.push(`beside ${path} is ${beside.join(', ')}`)
      }
      for (const place of places) {
        found.push(...(await marked(place)).map((path) => `${place} has got ${basename(path)}`))
      }
      return found
    },
    async close() {
      const left = (await Promise.all(places.map(marked))).flat()
      for (const path of [...paths.map(dirname), ...left]) await rm(path, { recursive: true, force: true })
    },
  }
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootRemedy } from '@isopod/protocol'
import type { Images } from '../driver/driver.ts'
import { ImageMissingError } from '../driver/faults.ts'

/** How long a reference is cached, in milliseconds. */
const CACHE_MS = 60_000
/** A content digest. */
export const DIGEST = /^sha256:[0-9a-f]{64}$/

/** A language's files on this host. */
export interface Root {
  /** Content digest (`sha256:…`). */
  readonly digest: string
  /** Directory that becomes `/` of a sandbox. */
  readonly path: string
}

/** The file that says which root a reference means. */
export function referenceFile(directory: string, reference: string): string {
  return join(directory, 'references', encodeURIComponent(reference))
}

/** The reference of such a file; undefined if it is none. */
export function referenceOfFile(name: string): string | undefined {
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}

/** The directory of one root; its `files` become `/`. It appears whole or not at all. */
export function rootDirectory(directory: string, digest: string): string {
  return join(directory, digest.replace(':', '-'))
}

/** Looks up roots in one directory of this host; `isopod roots` fills it. */
export class Roots implements Images {
  readonly #directory: string
  readonly #known = new Map<string, { root: Root; until: number }>()

  constructor(directory: string) {
    this.#directory = directory
  }

  async digest(reference: string): Promise<string> {
    return (await this.find(reference)).digest
  }

  /** @throws {ImageMissingError} if this host does not have it */
  async find(reference: string): Promise<Root> {
    const known = this.#known.get(reference)
    if (known && known.until > Date.now()) return known.root
    const root = await this.#read(reference)
    this.#known.set(reference, { root, until: Date.now() + CACHE_MS })
    return root
  }

  /** Drops what is cached, after a sandbox could not be started with it. */
  forget(reference: string): void {
    this.#known.delete(reference)
  }

  async #read(reference: string): Promise<Root> {
    const file = referenceFile(this.#directory, reference)
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw rootMissing(reference, { cause })
    })
    const digest = text.trim()
    if (!DIGEST.test(digest)) throw rootMissing(reference)
    return { digest, path: join(rootDirectory(this.#directory, digest), 'files') }
  }
}

function rootMissing(reference: string, options?: { cause: unknown }): ImageMissingError {
  return new ImageMissingError(
    reference,
    options,
    `there is no root of image ${reference} on this host; ${rootRemedy(reference)}`,
  )
}

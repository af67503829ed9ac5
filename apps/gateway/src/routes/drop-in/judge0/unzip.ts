import { buffer } from 'node:stream/consumers'
import { isSafePath, MAX_FILES, MAX_FILES_BYTES, sizeText } from '@isopod/protocol'
import { fromBufferPromise, type ZipFile } from 'yauzl'

/** Maximum number of entries, including folders, which do not count as files. */
const MAX_ENTRIES = 4 * MAX_FILES
/** Maximum expansion of an archive, plus `FREE_BYTES`: a small request must not fill the queue. */
const MAX_RATIO = 20
const FREE_BYTES = 64 * 1024

/** The files of an archive, or the reason for its refusal. */
export type Unzipped = { readonly files: ReadonlyMap<string, Buffer> } | { readonly problem: string }

/**
 * Unpacks a zip archive in memory, within the maximum number and size of a job's files. An entry larger than its declared
 * size is an error. A symbolic link becomes a file that contains the name of its target.
 */
export async function unzip(archive: Buffer): Promise<Unzipped> {
  try {
    const zip = await fromBufferPromise(archive, { lazyEntries: true, validateEntrySizes: true })
    return await readFiles(zip, archive.byteLength * MAX_RATIO + FREE_BYTES)
  } catch (error) {
    return { problem: `is not a zip archive that can be read: ${(error as Error).message.slice(0, 200)}` }
  }
}

async function readFiles(zip: ZipFile, maxBytes: number): Promise<Unzipped> {
  if (zip.entryCount > MAX_ENTRIES) return { problem: `must have at most ${MAX_ENTRIES} entries` }
  const files = new Map<string, Buffer>()
  let bytes = 0
  for await (const entry of zip.eachEntry()) {
    const { fileName: path, uncompressedSize } = entry
    if (path.endsWith('/')) continue
    if (!isSafePath(path) || files.has(path)) {
      return { problem: `must have other paths than ${JSON.stringify(path.slice(0, 255))}` }
    }
    bytes += uncompressedSize
    if (bytes > MAX_FILES_BYTES) return { problem: `must be at most ${sizeText(MAX_FILES_BYTES)} unpacked` }
    if (bytes > maxBytes) return { problem: `must not grow more than ${MAX_RATIO} times` }
    if (files.size === MAX_FILES) return { problem: `must be at most ${MAX_FILES} files` }
    files.set(path, await buffer(await zip.openReadStreamPromise(entry)))
  }
  return { files }
}

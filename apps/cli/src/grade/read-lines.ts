import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { DatasetError } from '@isopod/grading'
import { sizeText } from '@isopod/protocol'
import { UsageError } from '@isopod/service-kit'

/** One line of a file, without its end. */
export interface Line {
  readonly text: string
  /** From 1. */
  readonly number: number
}

/** Maximum bytes of a line, and of a document that does not have one record per line. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

const NEWLINE = 10
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])

/**
 * Yields the lines of a text file, gzipped or not; holds at most one line and one chunk in memory.
 *
 * @throws {UsageError} if it cannot be read
 * @throws {DatasetError} for a line that is too long or not UTF-8, and for a broken archive
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (parts: readonly Uint8Array[], number: number) => {
    try {
      return decoder.decode(Buffer.concat(parts))
    } catch {
      throw new DatasetError({ file: path, line: number }, 'must be UTF-8 text')
    }
  }
  let number = 1
  let parts: Uint8Array[] = []
  let size = 0
  const keep = (part: Uint8Array) => {
    parts.push(part)
    size += part.byteLength
    if (size <= MAX_LINE_BYTES) return
    throw new DatasetError(
      { file: path, line: number },
      `must be a line of at most ${sizeText(MAX_LINE_BYTES)}`,
    )
  }
  try {
    for await (const chunk of (await openText(path)) as AsyncIterable<Buffer>) {
      let from = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, end))
        yield { text: decode(parts, number), number }
        from = end + 1
        number += 1
        parts = []
        size = 0
      }
      keep(chunk.subarray(from))
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!code?.startsWith('Z_')) throw error
    throw new DatasetError({ file: path, line: number }, `cannot be unpacked (${message})`)
  }
  if (size > 0) yield { text: decode(parts, number), number }
}

/** The file as a stream of plain bytes. Its first bytes decide whether it is gzipped, not its name. */
async function openText(path: string): Promise<Readable> {
  const isGzipped = (await firstBytes(path, 2)).equals(GZIP_MAGIC)
  const bytes = createReadStream(path)
  return isGzipped ? pipeline(bytes, createGunzip(), () => {}) : bytes
}

/**
 * The first bytes of a file, which tell its format.
 *
 * @throws {UsageError} if it cannot be read
 */
export async function firstBytes(path: string, count: number): Promise<Buffer> {
  try {
    // Samples are read more than once, and a pipe would be empty the second time.
    if (!(await stat(path)).isFile()) throw new UsageError(`${JSON.stringify(path)}: must be a file`)
    await using file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'no such file' : code === 'EACCES' ? 'permission denied' : message
    throw new UsageError(`cannot read ${JSON.stringify(path)} (${reason})`)
  }
}

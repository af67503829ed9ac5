import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { sizeText } from '@isopod/protocol'
import { UsageError } from '@isopod/service-kit'
import { type Io, note } from '../io.ts'

/**
 * Reads text from a file, or from standard input for `-`. Reads at most one chunk beyond `maxBytes`.
 *
 * @param what names the argument or option in errors
 * @throws {UsageError} when it cannot be read, is too large or is not UTF-8
 */
export async function readText(io: Io, path: string, maxBytes: number, what: string): Promise<string> {
  const bytes = await readBytes(io, path, maxBytes, what)
  if (bytes.byteLength > maxBytes) {
    throw new UsageError(`${what}: must be at most ${sizeText(maxBytes)}, and ${shown(path)} is larger`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UsageError(`${what}: must be UTF-8 text, and ${shown(path)} is not`)
  }
}

async function readBytes(io: Io, path: string, maxBytes: number, what: string): Promise<Buffer> {
  if (path === '-') {
    if (io.stdin.isTTY) note(io, `isopod: reading ${what} from the terminal; Ctrl-D ends it`)
    return await upTo(io.stdin, maxBytes + 1)
  }
  try {
    await using file = await open(path, 'r')
    return await upTo(file.createReadStream({ end: maxBytes, autoClose: false }), maxBytes + 1)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(`${what}: cannot read ${shown(path)} (${REASONS[code ?? ''] ?? message})`)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'is a folder',
  EACCES: 'permission denied',
}

async function upTo(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer)
    chunks.push(bytes)
    size += bytes.byteLength
    if (size >= maxBytes) break
  }
  return Buffer.concat(chunks)
}

function shown(path: string): string {
  return path === '-' ? 'standard input' : JSON.stringify(path)
}

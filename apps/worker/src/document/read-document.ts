import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { ConfigError } from '@isopod/protocol'
import { parseYaml } from './parse-yaml.ts'

/** Maximum size of an operator's file, in bytes. */
export const MAX_DOCUMENT_BYTES = 1024 * 1024

/**
 * Reads a YAML or JSON file of the operator as plain data.
 *
 * @param what names it in errors, for example `the language catalogue`
 * @throws {ConfigError} that names the file, when it is unreadable, too large, or not YAML
 */
export async function readDocument(path: string, what: string): Promise<unknown> {
  return parseYaml(await readDocumentText(path, what), path)
}

/**
 * Reads a text file of the operator.
 *
 * @param what names it in errors
 * @throws {ConfigError} that names the file, when it is unreadable, too large, or not UTF-8
 */
export async function readDocumentText(path: string, what: string): Promise<string> {
  try {
    // Bounded by what is read, because the metadata of `/dev/zero` and pipes say nothing.
    // Without O_NONBLOCK the open of a named pipe would wait for a writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const info = await file.stat()
    if (!info.isFile()) throw new ConfigError(`${path}: ${what} must be a regular file`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_DOCUMENT_BYTES + 1))
    if (bytesRead > MAX_DOCUMENT_BYTES) {
      throw new ConfigError(`${path}: ${what} must be at most 1 MiB, got ${info.size} bytes`)
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, bytesRead))
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`${path}: ${what} cannot be read (${reason})`, { cause })
  }
}

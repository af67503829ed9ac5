import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '@isopod/protocol'
import { type Catalogue, createCatalogue } from './catalogue.ts'
import { parseYaml } from './parse-yaml.ts'
import { validateCatalogue } from './validate.ts'

/** The catalogue that comes with the package. */
export const DEFAULT_CATALOGUE_PATH = fileURLToPath(new URL('../languages.yaml', import.meta.url))

/** Largest catalogue file, in bytes. */
export const MAX_CATALOGUE_BYTES = 1024 * 1024

/**
 * Reads and validates a catalogue, once, when an app starts.
 *
 * @param path a YAML or JSON file: an object of language name → entry. @default {@link DEFAULT_CATALOGUE_PATH}
 * @throws {ConfigError} that names the file and, for each problem, the language and the field
 * @example
 * ```ts
 * const catalogue = await loadCatalogue(process.env.SANDBOX_LANGUAGE_CONFIG_FILE)
 * catalogue.find('py')?.image // 'isopod/python:3.13'
 * ```
 */
export async function loadCatalogue(path: string = DEFAULT_CATALOGUE_PATH): Promise<Catalogue> {
  const document = parseYaml(await readBounded(path), path)
  return createCatalogue(validateCatalogue(document, path))
}

/** Reads at most the allowed size, whatever the file's metadata claim: `/dev/zero` and pipes have none. */
async function readBounded(path: string): Promise<string> {
  try {
    // Without O_NONBLOCK the open of a named pipe would wait for a writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const info = await file.stat()
    if (!info.isFile()) throw new ConfigError(`${path}: the language catalogue must be a regular file`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_CATALOGUE_BYTES + 1))
    if (bytesRead > MAX_CATALOGUE_BYTES) {
      throw new ConfigError(`${path}: the language catalogue must be at most 1 MiB, got ${info.size} bytes`)
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, bytesRead))
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`${path}: the language catalogue cannot be read (${reason})`, { cause })
  }
}

import { extname } from 'node:path'
import { UsageError } from '@isopod/service-kit'
import { LANGUAGE_EXTENSIONS } from './language-extensions.ts'

/** Extensions besides that of a language's `filename` in the catalogue. */
const OTHER_EXTENSIONS: Readonly<Record<string, string>> = {
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.bash': 'bash',
  '.cc': 'cpp',
  '.cxx': 'cpp',
  '.ex': 'elixir',
}

/** Extension → language; of two with the same extension the first of the catalogue. */
const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ...Object.entries(OTHER_EXTENSIONS),
  ...Object.entries(LANGUAGE_EXTENSIONS)
    .toReversed()
    .map(([language, extension]) => [extension.toLowerCase(), language] as const),
])

/**
 * The language of a file by its extension; undefined for `-`, which gets the protocol's default.
 *
 * @throws {UsageError} for an unknown extension
 */
export function guessLanguage(path: string): string | undefined {
  if (path === '-') return undefined
  const language = BY_EXTENSION.get(extname(path).toLowerCase())
  if (language !== undefined) return language
  throw new UsageError(
    `--language: cannot be guessed from ${JSON.stringify(path)}; give it, as in --language python ("isopod languages" lists all)`,
  )
}

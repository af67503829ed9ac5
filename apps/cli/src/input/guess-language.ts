import { extname } from 'node:path'
import { UsageError } from '../usage-error.ts'

const BY_EXTENSION: Readonly<Record<string, string>> = {
  '.py': 'python',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.sh': 'bash',
  '.bash': 'bash',
  '.c': 'c',
  '.cpp': 'cpp',
  '.cc': 'cpp',
  '.cxx': 'cpp',
  '.java': 'java',
  '.go': 'go',
  '.rs': 'rust',
  '.rb': 'ruby',
  '.php': 'php',
  '.pl': 'perl',
  '.lua': 'lua',
  '.r': 'r',
  '.sql': 'sql',
  '.cs': 'csharp',
  '.hs': 'haskell',
  '.ml': 'ocaml',
  '.scala': 'scala',
  '.kt': 'kotlin',
  '.swift': 'swift',
  '.rkt': 'racket',
  '.d': 'd',
  '.ex': 'elixir',
  '.exs': 'elixir',
  '.erl': 'erlang',
  '.clj': 'clojure',
  '.f90': 'fortran',
  '.adb': 'ada',
  '.pas': 'pascal',
  '.cob': 'cobol',
  '.scm': 'scheme',
  '.lisp': 'lisp',
  '.pro': 'prolog',
  '.m': 'octave',
  '.tcl': 'tcl',
  '.awk': 'awk',
}

/**
 * The language of a file by its extension; undefined for `-`, which gets the protocol's default.
 *
 * @throws {UsageError} for an unknown extension
 */
export function guessLanguage(path: string): string | undefined {
  if (path === '-') return undefined
  const extension = extname(path).toLowerCase()
  const language = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined
  if (language !== undefined) return language
  throw new UsageError(
    `--language: cannot be guessed from ${JSON.stringify(path)}; known extensions: ${Object.keys(BY_EXTENSION).join(', ')}`,
  )
}

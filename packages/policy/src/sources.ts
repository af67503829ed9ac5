import type { Grammar } from './match.ts'
import type { RuleLanguage } from './rule.ts'

/** How a kind of file is read. */
export interface SourceKind {
  readonly grammar: Grammar
  readonly language: RuleLanguage
}

const PYTHON: SourceKind = { grammar: 'python', language: 'python' }
const JAVASCRIPT: SourceKind = { grammar: 'javascript', language: 'javascript' }
const TYPESCRIPT: SourceKind = { grammar: 'typescript', language: 'javascript' }
const BASH: SourceKind = { grammar: 'bash', language: 'bash' }

const BY_EXTENSION: ReadonlyMap<string, SourceKind> = new Map([
  ['py', PYTHON],
  ['pyw', PYTHON],
  ['js', JAVASCRIPT],
  ['mjs', JAVASCRIPT],
  ['cjs', JAVASCRIPT],
  ['ts', TYPESCRIPT],
  ['mts', TYPESCRIPT],
  ['cts', TYPESCRIPT],
  ['sh', BASH],
  ['bash', BASH],
])

const BY_LANGUAGE: ReadonlyMap<string, SourceKind> = new Map([
  ['python', PYTHON],
  ['javascript', JAVASCRIPT],
  ['typescript', TYPESCRIPT],
  ['bash', BASH],
])

/** Code that is loaded like source but has no text, so it cannot be checked. */
const COMPILED = new Set(['pyc', 'pyo', 'pyd', 'so', 'node', 'wasm', 'zip', 'egg', 'whl'])

/** How a file of this name is read; undefined if it is no source, or one without rules. */
export function sourceKind(path: string): SourceKind | undefined {
  return BY_EXTENSION.get(extension(path))
}

/** How a program is read: by the name of its file, which a catalogue may give any language, and then by its language. */
export function programKind(filename: string, language: string): SourceKind | undefined {
  return sourceKind(filename) ?? BY_LANGUAGE.get(language)
}

/** A path without its folders. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Whether a file of this name is code that cannot be read. */
export function isCompiled(path: string): boolean {
  return COMPILED.has(extension(path))
}

function extension(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

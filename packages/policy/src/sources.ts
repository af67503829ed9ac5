import type { Grammar } from './match.ts'
import type { RuleLanguage } from './rule.ts'

/** Grammar and rules for a kind of file. */
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

/** Extensions of compiled code, which cannot be checked. */
const COMPILED = new Set(['pyc', 'pyo', 'pyd', 'so', 'node', 'wasm', 'zip', 'egg', 'whl'])

/** The kind of a file; undefined if it is not source, or has no rules. */
export function sourceKind(path: string): SourceKind | undefined {
  return BY_EXTENSION.get(extension(path))
}

/** The kind of a program, by the name of its file or else by its language. */
export function programKind(filename: string, language: string): SourceKind | undefined {
  return sourceKind(filename) ?? BY_LANGUAGE.get(language)
}

/** A path without its folders. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Whether a file is compiled code. */
export function isCompiled(path: string): boolean {
  return COMPILED.has(extension(path))
}

function extension(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

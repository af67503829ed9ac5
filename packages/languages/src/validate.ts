import {
  ConfigError,
  describeProblems,
  isSafePath,
  type Language,
  type LanguageEntry,
  languageEntrySchema,
} from '@isopod/protocol'
import { MAX_LANGUAGES, nameProblem, repeatedNames } from './names.ts'

/** Fields that are short for a default limit. */
const SHORT_NAMES = [
  ['default_memory_mb', 'memoryMb'],
  ['compile_timeout_seconds', 'compileSeconds'],
] as const

/**
 * Validates the parsed data of a catalogue file. Fills in defaults; short names become part of `default_limits`.
 *
 * @param path names the file in errors
 * @throws {ConfigError} with all problems of the file, each with language and field
 */
export function validateCatalogue(document: unknown, path: string): Language[] {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new ConfigError(`${path}: must be an object of language name to entry`)
  }
  const entries = Object.entries(document)
  if (entries.length === 0 || entries.length > MAX_LANGUAGES) {
    throw new ConfigError(`${path}: must have 1 to ${MAX_LANGUAGES} languages, got ${entries.length}`)
  }

  const problems: string[] = []
  const languages: Language[] = []
  for (const [name, input] of entries) {
    const result = validateEntry(name, input)
    if ('language' in result) languages.push(result.language)
    else problems.push(...result.problems)
  }
  problems.push(...repeatedNames(languages))
  if (problems.length > 0) throw new ConfigError(`${path}: ${problems.join('; ')}`)
  return languages
}

function validateEntry(name: string, input: unknown): { language: Language } | { problems: string[] } {
  const badName = nameProblem(name)
  if (badName !== undefined) return { problems: [badName] }

  const parsed = languageEntrySchema.safeParse(input)
  if (!parsed.success) {
    const problems = describeProblems(parsed.error, input)
    // A problem of the whole entry has no field; the language's name takes its place.
    return {
      problems: problems.map(({ field, message }) =>
        field === '' ? message.replace(/^job/, name) : `${name}.${message}`,
      ),
    }
  }
  const problems = entryProblems(parsed.data)
  if (problems.length > 0) return { problems: problems.map((problem) => `${name}.${problem}`) }
  return { language: foldShortNames(name, parsed.data) }
}

/** Problems that involve several fields. */
function entryProblems(entry: LanguageEntry): string[] {
  const problems: string[] = []
  const words = [...entry.command, ...(entry.compile ?? [])]
  if (!words.some((word) => word.includes('{filename}'))) {
    problems.push('command: must have "{filename}" in it or in compile, or the code would never be run')
  }
  for (const file of Object.keys(entry.input_hook?.files ?? {})) {
    const [folder, ...rest] = file.split('/')
    if (folder !== '.isopod' || !isSafePath(rest.join('/'))) {
      problems.push(`input_hook.files: must have paths below .isopod/, got ${JSON.stringify(file)}`)
    }
  }
  problems.push(...preloadProblems(entry))
  const memory = entry.default_memory_mb
  if (memory !== undefined && !Number.isInteger(memory)) {
    problems.push(`default_memory_mb: must be a whole number from 16 to 1024, got ${memory}`)
  }
  for (const [short, limit] of SHORT_NAMES) {
    const [value, other] = [entry[short], entry.default_limits[limit]]
    if (value === undefined || other === undefined || value === other) continue
    problems.push(`${short}: must agree with default_limits.${limit} (${other}), got ${value}`)
  }
  return problems
}

function preloadProblems({ preload, compile, command, filename }: LanguageEntry): string[] {
  if (preload === undefined) return []
  const problems: string[] = []
  const paths = Object.keys(preload.files)
  if (compile !== undefined) problems.push('preload: must be absent with compile')
  if (!command.some((word) => word.includes('{filename}'))) {
    problems.push('preload: must have "{filename}" in command')
  }
  for (const path of paths.filter((each) => !isSafePath(each) || each.split('/')[0] === filename)) {
    problems.push(`preload.files: must have relative paths beside ${filename}, got ${JSON.stringify(path)}`)
  }
  if (paths.length === 0 && (preload.forks || preload.modules.length > 0)) {
    problems.push('preload.files: must have a hook for modules or forks')
  }
  return problems
}

function foldShortNames(name: string, entry: LanguageEntry): Language {
  const { default_memory_mb: memoryMb, compile_timeout_seconds: compileSeconds, ...rest } = entry
  const limits = {
    ...(memoryMb !== undefined && { memoryMb }),
    ...(compileSeconds !== undefined && { compileSeconds }),
  }
  return { name, ...rest, default_limits: { ...rest.default_limits, ...limits } }
}

import type { LanguageSummary } from '@isopod/protocol'

/** Maximum of languages in a catalogue; each is a value of a metric's label. */
export const MAX_LANGUAGES = 100

/** A name that a job can ask for, without `@version`. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9+#._-]{0,31}$/

/** What is wrong with a language's name; undefined if nothing. */
export function nameProblem(name: string): string | undefined {
  if (NAME.test(name)) return undefined
  const shown = name.length > 40 ? `text of ${name.length} characters` : JSON.stringify(name)
  return `language name: must be 1 to 32 characters of a-z, A-Z, 0-9 and "+#._-", starting with a letter or digit, got ${shown}`
}

/** One sentence for each name or alias that two languages share. */
export function repeatedNames(languages: readonly LanguageSummary[]): string[] {
  const owners = new Map<string, string>()
  const problems: string[] = []
  for (const language of languages) {
    for (const name of [language.name, ...language.aliases]) {
      // Names of languages are case-insensitive.
      const owner = owners.get(name.toLowerCase())
      const field = name === language.name ? 'name' : 'aliases'
      if (owner === undefined) owners.set(name.toLowerCase(), language.name)
      else problems.push(`${language.name}.${field}: "${name}" is already taken by ${owner}`)
    }
  }
  return problems
}

import { ConfigError } from '@isopod/protocol'
import { parseDocument } from 'yaml'

/** Maximum number of aliases, so that nested aliases cannot expand a small file without end. */
const MAX_ALIASES = 100

/**
 * Turns the text of a YAML or JSON file into plain data. Duplicate keys, custom tags and exploding aliases are refused.
 *
 * @param path names the file in errors
 * @throws {ConfigError} with the file, the line and the reason
 */
export function parseYaml(text: string, path: string): unknown {
  const document = parseDocument(text, {
    prettyErrors: false,
    stringKeys: true,
    logLevel: 'silent',
    resolveKnownTags: false,
  })
  const problem = document.errors[0] ?? document.warnings[0]
  if (problem !== undefined) {
    const line = text.slice(0, problem.pos[0]).split('\n').length
    throw new ConfigError(`${path}: line ${line}: ${problem.message}`)
  }
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`${path}: ${reason}`, { cause })
  }
}

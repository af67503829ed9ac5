import { ConfigError } from '@isopod/protocol'
import { closest } from 'fastest-levenshtein'

const OURS = /^(ISOPOD|SANDBOX)_/

/** Variables of the command line and of set-up, which a worker started by them inherits. */
const OF_OTHER_APPS = ['ISOPOD_DEBUG', 'ISOPOD_STATE_DIR']

/** Refuses a variable with our prefixes that nothing reads: a misspelt limit must not silently be no limit. */
export function refuseUnknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): void {
  const unknown = Object.keys(env).filter(
    (name) => OURS.test(name) && !known.includes(name) && !OF_OTHER_APPS.includes(name),
  )
  if (unknown.length === 0) return
  const ours = known.filter((name) => OURS.test(name))
  throw new ConfigError(
    unknown.map((name) => `${name}: unknown setting; did you mean ${closest(name, ours)}?`).join('; '),
  )
}

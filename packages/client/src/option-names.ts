import { ConfigError, knownNames } from '@isopod/protocol'

/**
 * Refuses unknown options: a misspelt option must not be ignored.
 *
 * @param names has each option of `T` as a key
 * @throws {ConfigError} naming the first unknown option, and a similar option or all options
 */
export function refuseUnknownOptions<T extends object>(
  given: T,
  names: Readonly<Record<keyof T, true>>,
): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const got = given === null ? 'null' : Array.isArray(given) ? 'a list' : typeof given
    throw new ConfigError(`options: must be an object, got ${got}`)
  }
  const known = Object.keys(names)
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(names, name))
  if (unknown === undefined) return
  throw new ConfigError(`${unknown.slice(0, 64)}: unknown option; ${knownNames(unknown, known, 'options')}`)
}

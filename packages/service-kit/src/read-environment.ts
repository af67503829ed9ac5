import { ConfigError } from '@isopod/protocol'
import type { z } from 'zod'
import { refuseUnknownVariables } from './unknown-variables.ts'

/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Options of {@link readEnvironment}. */
export interface EnvironmentOptions {
  /**
   * Prefix of this app's variables, for example `ISOPOD_GATEWAY_`. Absent for the worker, which owns all names that no other app
   * claims.
   */
  readonly prefix?: string
}

/**
 * Reads an app's settings from its environment. An empty variable counts as unset.
 *
 * @throws {ConfigError} naming each invalid variable with what is allowed and what was given, and each unknown variable with the
 *   nearest name
 *
 * @example
 * ```ts
 * const settings = readEnvironment(z.object({ PORT: numberVariable(0, 65_535).default(8007) }), process.env)
 * ```
 */
export function readEnvironment<Schema extends z.ZodObject>(
  schema: Schema,
  env: Environment,
  options: EnvironmentOptions = {},
): z.output<Schema> {
  refuseUnknownVariables(env, Object.keys(schema.shape), options.prefix)
  // Compose files and shells represent "not set" as an empty variable.
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0])
    return `${name}: ${issue.message}, got ${JSON.stringify(env[name])}`
  })
  throw new ConfigError(problems.join('; '))
}

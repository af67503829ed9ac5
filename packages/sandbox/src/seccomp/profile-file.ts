import { ConfigError } from '@isopod/protocol'
import { NEEDED_CALLS } from './needed-calls.ts'
import type { BlockedGroup, SeccompDecisions } from './profile.ts'

/** The deployment's own profile, by name. */
export const DEFAULT_PROFILE = 'default'

const ERRNOS: readonly unknown[] = ['EPERM', 'ENOSYS']
const ARCHITECTURES: readonly unknown[] = ['x64', 'arm64']

/** The content of a profile file: what it refuses beyond another one. */
export interface ProfileFile {
  readonly extends: string
  readonly blocked: readonly BlockedGroup[]
}

/**
 * Validates a profile file. It cannot allow a call, so that what the default refuses stays refused.
 *
 * @param path names the file in errors
 * @throws {ConfigError} with file, field, what is allowed and what was given
 */
export function parseProfileFile(document: unknown, path: string, decisions: SeccompDecisions): ProfileFile {
  const fail = (field: string, wanted: string, got: unknown) =>
    new ConfigError(`${path}: ${field === '' ? '' : `${field}: `}must ${wanted}, got ${shown(got)}`)
  if (!isObject(document)) throw fail('', 'be an object with extends and blocked', document)
  const { extends: base = DEFAULT_PROFILE, blocked, ...others } = document
  const [other] = Object.keys(others)
  if (other !== undefined) {
    throw fail(
      '',
      'have extends and blocked only: a profile can refuse more than the default, never less',
      other,
    )
  }
  if (typeof base !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(base)) {
    throw fail('extends', 'be the name of a profile', base)
  }
  if (!Array.isArray(blocked) || blocked.length === 0) throw fail('blocked', 'be a list of groups', blocked)
  const known = new Set([
    ...[...decisions.allowed, ...decisions.blocked].flatMap(({ calls }) => calls),
    ...decisions.conditional.map(({ call }) => call),
  ])
  return {
    extends: base,
    blocked: blocked.map((group: unknown, index) => groupOf(group, `blocked[${index}]`)),
  }

  function groupOf(group: unknown, field: string): BlockedGroup {
    if (!isObject(group)) throw fail(field, 'be an object with name, reason and calls', group)
    const { name, reason, calls, errno = 'EPERM', only, ...rest } = group
    const [extra] = Object.keys(rest)
    if (extra !== undefined) throw fail(field, 'have name, reason, calls, errno and only', extra)
    if (typeof name !== 'string' || name === '') throw fail(`${field}.name`, 'be text', name)
    if (typeof reason !== 'string' || reason === '') throw fail(`${field}.reason`, 'be text', reason)
    if (!ERRNOS.includes(errno)) throw fail(`${field}.errno`, `be ${ERRNOS.join(' or ')}`, errno)
    if (only !== undefined && !isArchitectures(only)) {
      throw fail(`${field}.only`, `be a list of ${ARCHITECTURES.join(', ')}`, only)
    }
    if (!Array.isArray(calls) || calls.length === 0)
      throw fail(`${field}.calls`, 'be a list of system calls', calls)
    // A misspelt name would refuse nothing, silently.
    const unknown = calls.find((call: unknown) => typeof call !== 'string' || !known.has(call))
    if (unknown !== undefined) throw fail(`${field}.calls`, 'be calls that profile.yaml decides on', unknown)
    const needed = calls.find((call: string) => NEEDED_CALLS.has(call))
    if (needed !== undefined) {
      throw fail(`${field}.calls`, 'not have calls that the runtime and init need to start a program', needed)
    }
    return { name, reason, calls, errno, ...(only && { only }) } as BlockedGroup
  }
}

function isArchitectures(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => ARCHITECTURES.includes(one))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : (JSON.stringify(value) ?? String(value)).slice(0, 80)
}

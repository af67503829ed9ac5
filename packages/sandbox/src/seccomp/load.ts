import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Architecture } from '@isopod/init'
import { ConfigError } from '@isopod/protocol'
import { parse } from 'yaml'
import { type SeccompDecisions, seccompProfile } from './profile.ts'

const SETTING = 'ISOPOD_SECCOMP_PROFILE'
/** Next to `packages`, both in a checkout and in the worker's image. */
const DECISIONS = new URL('../../../../deploy/seccomp/profile.yaml', import.meta.url)

/** Our decisions on every system call. @throws {ConfigError} if the file is not where it was shipped */
export async function seccompDecisions(): Promise<SeccompDecisions> {
  // Shipped with this code; tests check its shape.
  return parse(await read(fileURLToPath(DECISIONS), 'the seccomp decisions')) as SeccompDecisions
}

/**
 * The seccomp profile of every container, as the JSON that the engine takes.
 *
 * @param file a profile in Docker's format to use instead of ours; undefined for ours
 * @throws {ConfigError} if the file cannot be read, is not a profile, or would refuse nothing
 */
export async function loadSeccompProfile(
  file: string | undefined,
  architecture: Architecture,
): Promise<string> {
  if (file === undefined) return JSON.stringify(seccompProfile(await seccompDecisions(), architecture))
  const problem = (what: string) => new ConfigError(`${SETTING}: ${file} ${what}`)
  const text = await read(file, SETTING)
  let profile: unknown
  try {
    profile = JSON.parse(text)
  } catch {
    throw problem("must be a seccomp profile in Docker's JSON format, got something that is not JSON")
  }
  if (typeof profile !== 'object' || profile === null || Array.isArray(profile)) {
    throw problem(`must hold a JSON object, got ${Array.isArray(profile) ? 'a list' : typeof profile}`)
  }
  if (!('defaultAction' in profile) || typeof profile.defaultAction !== 'string') {
    throw problem('must have a defaultAction (SCMP_ACT_ERRNO for a list of what is allowed), got none')
  }
  if (LETS_THROUGH.test(profile.defaultAction) && !refusesSomething(profile)) {
    throw problem(
      `must refuse at least one system call, got defaultAction ${profile.defaultAction} without a rule that refuses any`,
    )
  }
  return text
}

const LETS_THROUGH = /^SCMP_ACT_(ALLOW|LOG)$/

function refusesSomething(profile: object): boolean {
  const rules: unknown = 'syscalls' in profile ? profile.syscalls : []
  return (
    Array.isArray(rules) &&
    rules.some((rule: unknown) => {
      const action = typeof rule === 'object' && rule !== null && 'action' in rule ? rule.action : undefined
      return typeof action === 'string' && !LETS_THROUGH.test(action)
    })
  )
}

async function read(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`${what}: ${file} cannot be read: ${reason}`, { cause })
  }
}

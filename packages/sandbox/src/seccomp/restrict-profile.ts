import { type BlockedGroup, ENOSYS } from './profile.ts'

const LETS_THROUGH = /^SCMP_ACT_(ALLOW|LOG)$/
const EPERM = 1

/** The parts of a profile in Docker's format that decide which calls it allows. */
interface OpenProfile {
  readonly defaultAction?: unknown
  readonly syscalls?: readonly { readonly names?: readonly string[]; readonly name?: string }[]
}

/**
 * Refuses further calls in a profile: removes them from every rule that names them, whatever its action.
 *
 * @param base a profile in Docker's JSON format: ours, or the operator's
 */
export function restrictProfile(base: string, blocked: readonly BlockedGroup[]): string {
  const profile = JSON.parse(base) as OpenProfile
  const calls = new Set(blocked.flatMap((group) => group.calls))
  const kept = (profile.syscalls ?? [])
    .filter(({ name }) => name === undefined || !calls.has(name))
    .map((rule) => (rule.names ? { ...rule, names: rule.names.filter((name) => !calls.has(name)) } : rule))
    .filter(({ name, names }) => name !== undefined || (names?.length ?? 0) > 0)
  const action = String(profile.defaultAction)
  const refused = (errno: BlockedGroup['errno'], errnoRet: number) => {
    const names = blocked
      .filter((group) => (group.errno ?? 'EPERM') === errno)
      .flatMap((group) => group.calls)
    return names.length === 0 ? [] : [{ names, action: 'SCMP_ACT_ERRNO', errnoRet }]
  }
  const open = LETS_THROUGH.test(action)
  return JSON.stringify({
    ...profile,
    syscalls: [
      ...kept,
      // Each rule costs time in every start of a container; what the default action does anyway needs none.
      ...(open ? refused('EPERM', EPERM) : []),
      ...(open || action === 'SCMP_ACT_ERRNO' ? refused('ENOSYS', ENOSYS) : []),
    ],
  })
}

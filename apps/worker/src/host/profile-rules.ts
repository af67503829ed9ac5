import { ConfigError, type Language } from '@isopod/protocol'
import type { SeccompFacts } from '@isopod/sandbox'

type Profiles = ReadonlyMap<string, Pick<SeccompFacts, 'blocked'>>

/** System calls that a connection through a job's proxy needs, in the program or in init. */
const CONNECTS = ['socket', 'bind', 'listen', 'accept4', 'connect', 'setsockopt']
/** System calls that init and a preloaded interpreter need to wait for a program. */
const WAITS_AHEAD = ['socketpair', 'sendmsg', 'recvmsg', 'sendto', 'recvfrom', 'mknod', 'mknodat']

/** Names of the seccomp profiles under which no program can use a network. */
export function offlineProfiles(profiles: Profiles): ReadonlySet<string> {
  const offline = [...profiles].filter(([, { blocked }]) => CONNECTS.some((call) => blocked.has(call)))
  return new Set(offline.map(([name]) => name))
}

/** @throws {ConfigError} if the seccomp profile of a language with `preload` blocks preloading */
export function checkPreloadProfiles(languages: readonly Language[], profiles: Profiles): void {
  for (const { name, preload, seccomp_profile: profile } of languages) {
    if (preload === undefined) continue
    const refused = WAITS_AHEAD.filter((call) => profiles.get(profile)?.blocked.has(call))
    if (refused.length === 0) continue
    throw new ConfigError(
      `${name}.seccomp_profile: must allow ${refused.join(', ')} with preload, got ${JSON.stringify(profile)}`,
    )
  }
}

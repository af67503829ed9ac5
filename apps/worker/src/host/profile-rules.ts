import { ConfigError, type Language } from '@isopod/protocol'
import type { SeccompFacts } from '@isopod/sandbox'

type Profiles = ReadonlyMap<string, Pick<SeccompFacts, 'blocked'>>

/** What a connection through a network profile's proxy takes, of the program or of init. */
const CONNECTS = ['socket', 'bind', 'listen', 'accept4', 'connect', 'setsockopt']
/** What init waits for a program with, beside an interpreter that has started. */
const WAITS_AHEAD = ['socketpair', 'sendmsg', 'recvmsg', 'sendto', 'recvfrom', 'mknod', 'mknodat']

/** Names of the profiles under which no program can reach a network. */
export function offlineProfiles(profiles: Profiles): ReadonlySet<string> {
  const offline = [...profiles].filter(([, { blocked }]) => CONNECTS.some((call) => blocked.has(call)))
  return new Set(offline.map(([name]) => name))
}

/** @throws {ConfigError} about a language that could be started ahead but for its profile */
export function refusePreloadWithout(languages: readonly Language[], profiles: Profiles): void {
  for (const { name, preload, seccomp_profile: profile } of languages) {
    if (preload === undefined) continue
    const refused = WAITS_AHEAD.filter((call) => profiles.get(profile)?.blocked.has(call))
    if (refused.length === 0) continue
    throw new ConfigError(
      `${name}.seccomp_profile: must allow ${refused.join(', ')} with preload, got ${JSON.stringify(profile)}`,
    )
  }
}

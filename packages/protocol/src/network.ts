import { z } from 'zod'
import { fields, integerBetween, nameUpTo, numberBetween, recordOf } from './schema.ts'

/** The default of `network`: only loopback. No profile can have this name. */
export const NO_NETWORK = 'none'

/** Maximum number of profiles, because each is a label value of a metric. */
export const MAX_PROFILES = 100

/** `host:port`, or `[address]:port` for IPv6. */
const ENDPOINT = /^(\[[0-9A-Fa-f:.]{2,45}\]|[^\s:/?#@[\]\\%*]{1,253}):([1-9]\d{0,4})$/

/**
 * Splits `host:port`; neither part has a default.
 *
 * @returns undefined for any other text
 */
export function splitEndpoint(text: string): { host: string; port: number } | undefined {
  const [, host, port] = ENDPOINT.exec(text) ?? []
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) }
}

const endpoint = z
  .string({ error: 'must be host:port' })
  .refine((text) => splitEndpoint(text.replace(/^\*\./, '')) !== undefined, {
    error: 'must be host:port, or *.host:port for the names below a host',
  })

const cidr = z.union([z.cidrv4(), z.cidrv6()], { error: 'must be an address range such as 10.1.2.0/24' })

/** Targets and quotas of one network profile. */
const networkProfileSchema = fields({
  /** Targets: `host:port`, `*.host:port` for names below a host, `[::1]:port`. */
  egress: z
    .array(endpoint, { error: 'must be a list of host:port' })
    .min(1, { error: 'must name a target; a job without any uses "none"' })
    .max(1000, { error: 'must be at most 1000 targets' }),
  /** Ranges that are allowed although they are private, link-local or the host's own. */
  allow_private: z
    .array(cidr, { error: 'must be a list of address ranges' })
    .max(100, { error: 'must be at most 100 ranges' })
    .default([]),
  /** Maximum simultaneous connections of one job. */
  max_connections: integerBetween(1, 32).default(16),
  /** Maximum total connections of one job. */
  max_total_connections: integerBetween(1, 100_000).default(1000),
  /** Maximum bytes of one job, both directions together. */
  max_bytes: integerBetween(1, 1024 ** 4).default(100 * 1024 ** 2),
  /** Timeout for resolving and connecting. */
  connect_timeout_seconds: numberBetween(0.1, 60).default(10),
  /** Idle timeout of a connection. */
  idle_timeout_seconds: numberBetween(0.1, 300).default(60),
})

/** One profile, validated. */
export type NetworkProfile = z.output<typeof networkProfileSchema>

const profileName = nameUpTo(64).refine((name) => name !== NO_NETWORK, { error: '"none" is reserved' })

/** The operator's file of network profiles: `profiles`, name → profile. */
export const networkProfilesSchema = fields({
  profiles: recordOf(profileName, networkProfileSchema, MAX_PROFILES, {
    key: 'must have names of 1 to 64 plain characters, other than "none"',
    object: 'must be an object of name to profile',
    max: `must be at most ${MAX_PROFILES} profiles`,
  }),
})

/** The error sentence for an unknown network; it lists the known ones. */
export function unknownNetwork(known: Iterable<string>, asked: string): string {
  return `network: ${JSON.stringify(asked)} is not a profile of this deployment; it has ${[NO_NETWORK, ...known].join(', ')}`
}

import type { Redis } from 'ioredis'
import type { Keys } from '../redis/keys.ts'

/** What a tenant may use. */
export interface TenantRule {
  /** Its share while others have work too: a tenant with 2 has twice the turns of one with 1. @default 1 */
  readonly weight?: number | undefined
  /** Maximum jobs that run at once, on all workers together. @default no maximum */
  readonly maxInFlight?: number | undefined
  /** Maximum jobs that wait. @default no maximum */
  readonly maxQueued?: number | undefined
}

/** Rules by tenant; {@link OTHER_TENANTS} for all that are not named. */
export type TenantRules = Readonly<Record<string, TenantRule>>

/** The name of the rule for all tenants without one; no tenant can have this name. */
export const OTHER_TENANTS = '*'

/** Replaces a hash; not a transaction, which a Redis at its `maxmemory` refuses. KEYS: the hash. ARGV: fields and values. */
const WRITE_RULES = `
redis.call('DEL', KEYS[1])
if #ARGV > 0 then redis.call('HSET', KEYS[1], unpack(ARGV)) end
`

/** The rule of a tenant. */
export function ruleOf(rules: TenantRules, tenant: string): TenantRule {
  return Object.hasOwn(rules, tenant) ? (rules[tenant] ?? {}) : (rules[OTHER_TENANTS] ?? {})
}

/**
 * Stores the rules for all producers, as `weight maxInFlight maxQueued`; 0 is no maximum. The last worker to start wins, as all
 * workers of a deployment share them.
 */
export async function writeTenantRules(redis: Redis, keys: Keys, rules: TenantRules): Promise<void> {
  const fields = Object.entries(rules).flatMap(([tenant, { weight = 1, maxInFlight = 0, maxQueued = 0 }]) => [
    tenant,
    `${weight} ${maxInFlight} ${maxQueued}`,
  ])
  await redis.eval(WRITE_RULES, 1, keys.tenantRules, ...fields)
}

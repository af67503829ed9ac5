import { fields, integerBetween, nameUpTo, recordOf } from './schema.ts'

/** Maximum number of tenants with rules of their own. */
const MAX_TENANTS = 10_000

const tenantRuleSchema = fields({
  /** Its share while others have work too. */
  weight: integerBetween(1, 1000).default(1),
  /** Maximum jobs that run at once, on all workers together. */
  max_in_flight: integerBetween(1, 100_000).optional(),
  /** Maximum jobs that wait. */
  max_queued: integerBetween(1, 100_000_000).optional(),
})

/** The operator's file of tenants: `tenants`, name → rule, and `others`, the rule of those that are not named. */
export const tenantRulesSchema = fields({
  tenants: recordOf(nameUpTo(64), tenantRuleSchema, MAX_TENANTS, {
    object: 'must be an object of name to rule',
    max: `must be at most ${MAX_TENANTS} tenants`,
  }).default({}),
  others: tenantRuleSchema.optional(),
})

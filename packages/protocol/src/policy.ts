import { z } from 'zod'
import { ConfigError } from './errors.ts'
import { fields, oneOf, openList } from './schema.ts'

/** Effects of a finding, mildest first: no check, a warning, a refusal. */
const MODES = ['off', 'warn', 'enforce'] as const
/** Rule sets, smallest first; each contains the ones before it. */
const RULE_SETS = ['standard', 'strict'] as const

/** Schema of {@link Policy}. */
export const policySchema = fields({
  mode: oneOf(MODES).default('warn'),
  rules: oneOf(RULE_SETS).default('standard'),
})

/** The policy check of a job's source: what a finding causes, and which rules apply. */
export type Policy = z.output<typeof policySchema>

/** Schema of {@link AppliedPolicy}. */
export const appliedPolicySchema = z.object({
  mode: openList(MODES),
  rules: openList(RULE_SETS),
  /** Whether the whole source was checked by rules of its language. */
  checked: z.boolean(),
})

/** The policy that was applied to a job, as results report it. */
export type AppliedPolicy = z.output<typeof appliedPolicySchema>

/**
 * Parses a policy in the form `mode` or `mode:rules`, for example `enforce:strict`.
 *
 * @throws {ConfigError} with what is allowed and what was given
 */
export function parsePolicy(text: string): Policy {
  const [mode, rules = 'standard', ...more] = text.split(':')
  const parsed = policySchema.safeParse({ mode, rules })
  if (parsed.success && more.length === 0) return parsed.data
  throw new ConfigError(
    `must be ${MODES.join(', ')}, alone or with ${RULE_SETS.map((set) => `:${set}`).join(' or ')}, got ${JSON.stringify(text)}`,
  )
}

/** The stricter mode and the larger rule set of two policies. */
export function stricterPolicy(one: Policy, other: Policy): Policy {
  return {
    mode: MODES[Math.max(MODES.indexOf(one.mode), MODES.indexOf(other.mode))] ?? 'enforce',
    rules: RULE_SETS[Math.max(RULE_SETS.indexOf(one.rules), RULE_SETS.indexOf(other.rules))] ?? 'strict',
  }
}

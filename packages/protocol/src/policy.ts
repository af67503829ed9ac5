import { z } from 'zod'
import { ConfigError } from './errors.ts'
import { fields, oneOf } from './schema.ts'

/** What follows from a finding, mildest first: nothing is looked for, a warning, a refusal. */
const MODES = ['off', 'warn', 'enforce'] as const
/** Sets of rules, smallest first; each holds the ones before it. */
const RULE_SETS = ['standard', 'strict'] as const

/** The check of the source before it runs. */
export const policySchema = fields({
  mode: oneOf(MODES).default('warn'),
  rules: oneOf(RULE_SETS).default('standard'),
})

/** How strictly a job's source is checked before it runs, and by which rules. */
export type Policy = z.output<typeof policySchema>

/** What a policy made of a job, as results say it. */
export const appliedPolicySchema = z.object({
  ...policySchema.shape,
  /** Whether all of the source was checked, by rules of its language. */
  checked: z.boolean(),
})

/** What a policy made of a job, as results say it. */
export type AppliedPolicy = z.output<typeof appliedPolicySchema>

/**
 * Reads a policy as people write it: `mode` or `mode:rules`, for example `enforce:strict`.
 *
 * @throws {ConfigError} that says what is allowed and what was given
 */
export function parsePolicy(text: string): Policy {
  const [mode, rules = 'standard', ...more] = text.split(':')
  const parsed = policySchema.safeParse({ mode, rules })
  if (parsed.success && more.length === 0) return parsed.data
  throw new ConfigError(
    `must be ${MODES.join(', ')}, alone or with ${RULE_SETS.map((set) => `:${set}`).join(' or ')}, got ${JSON.stringify(text)}`,
  )
}

/** The stricter mode of two policies with the larger of their rule sets: what a job asks for, held to a minimum. */
export function stricterPolicy(one: Policy, other: Policy): Policy {
  return {
    mode: MODES[Math.max(MODES.indexOf(one.mode), MODES.indexOf(other.mode))] ?? 'enforce',
    rules: RULE_SETS[Math.max(RULE_SETS.indexOf(one.rules), RULE_SETS.indexOf(other.rules))] ?? 'strict',
  }
}

import type { Policy } from '@isopod/protocol'
import type { PolicyFinding } from './rule.ts'

/** Maximum number of findings and gaps that a result names. */
const MAX_NAMED = 20

/** The decision about a program under a policy. */
export interface PolicyDecision {
  /** The policy that applied. */
  readonly policy: Policy
  /** Whether every source was checked as a whole by rules of its language. */
  readonly checked: boolean
  /**
   * Sentences for which the job is refused: `Blocked import: os`, `Unchecked source: big.py was not checked: …`. Empty unless
   * the mode is `enforce`.
   */
  readonly problems: readonly string[]
  /** Sentences for the result of a job that runs. */
  readonly warnings: readonly string[]
  /** Every violated rule, whether or not it has an effect. */
  readonly findings: readonly PolicyFinding[]
}

/** The result of checking all sources of a job. */
interface CheckOutcome {
  readonly findings: readonly PolicyFinding[]
  /** Sources that were not checked completely, and why. `enforce` refuses them. */
  readonly gaps: readonly string[]
  /** Further sentences for the result, which refuse nothing. */
  readonly notes?: readonly string[]
  readonly checked: boolean
  /** Path of the program, which messages omit. */
  readonly main?: string
}

/** Decides what the findings of a check mean under a policy. */
export function decide(
  policy: Policy,
  { findings, gaps, notes = [], checked, main }: CheckOutcome,
): PolicyDecision {
  const refusing = findings.filter(({ severity }) => policy.mode === 'enforce' && severity === 'block')
  const warning = findings.filter((finding) => !refusing.includes(finding))
  return {
    policy,
    checked,
    problems: shortened([
      ...refusing.map(({ path, message }) => (path === main ? message : `${path}: ${message}`)),
      ...(policy.mode === 'enforce' ? gaps.map((gap) => `Unchecked source: ${gap}`) : []),
    ]),
    warnings: shortened([
      ...warning.map(({ path, line, severity, message }) => {
        const fate = severity === 'block' ? ' (not enforced)' : ''
        return `policy: ${path}:${line}: ${message}${fate}`
      }),
      ...[...(policy.mode === 'enforce' ? [] : gaps), ...notes].map((text) => `policy: ${text}`),
    ]),
    findings,
  }
}

/** Bounds the number of sentences, because a hostile job can violate rules in 64 files. */
function shortened(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= MAX_NAMED) return sentences
  return [...sentences.slice(0, MAX_NAMED), `and ${sentences.length - MAX_NAMED} more`]
}

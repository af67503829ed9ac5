import type { Policy } from '@isopod/protocol'
import type { PolicyFinding } from './rule.ts'

/** Maximum number of findings and gaps that a result names. */
const MAX_NAMED = 20

/** The decision about a program under a policy. */
export interface PolicyDecision {
  /** What applied. */
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
  /** Every rule that was tripped, whatever follows from it. */
  readonly findings: readonly PolicyFinding[]
}

/** What a check found. */
interface CheckOutcome {
  readonly findings: readonly PolicyFinding[]
  /** Sources that were not checked, or not as a whole, and why. Where rules are enforced, they are refused. */
  readonly gaps: readonly string[]
  /** What else is to be known, and refuses nothing. */
  readonly notes?: readonly string[]
  readonly checked: boolean
  /** The program's own file, which messages need not name. */
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

/** A hostile job trips rules in 64 files; its result must not grow with them. */
function shortened(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= MAX_NAMED) return sentences
  return [...sentences.slice(0, MAX_NAMED), `and ${sentences.length - MAX_NAMED} more`]
}

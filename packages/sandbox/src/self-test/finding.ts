/**
 * How a probe ended. `held`: the container withstood the attack. `succeeded`: the attack achieved something. `untried`: the
 * platform failed, or the attack could not be made, which proves nothing. `exempt`: it has no meaning on this runtime.
 */
export type ProbeVerdict = 'held' | 'succeeded' | 'untried' | 'exempt'

/** One probe and how it ended. */
export interface ProbeFinding {
  /** Id of the probe. */
  readonly probe: string
  /** OCI runtime of the container that it attacked. */
  readonly runtime: string
  /** The attack, as the rest of a sentence. */
  readonly tries: string
  readonly verdict: ProbeVerdict
  /** What the attack achieved, or why it was not made; empty when the container held. */
  readonly detail: string
  readonly ms: number
}

/** The result of a self-test. */
export interface SelfTestReport {
  /** In the order of the list of probes. */
  readonly findings: readonly ProbeFinding[]
  readonly ms: number
}

/** Whether every probe held, or has no meaning here: only then may untrusted code run. */
export function isContained({ findings }: SelfTestReport): boolean {
  return findings.length > 0 && findings.every(({ verdict }) => verdict === 'held' || verdict === 'exempt')
}

/** Findings of one verdict as a short list: `disk (…), neighbour (…)`. */
export function listFindings({ findings }: SelfTestReport, verdict: ProbeVerdict): string {
  return findings
    .filter((finding) => finding.verdict === verdict)
    .map(({ probe, detail }) => (detail === '' ? probe : `${probe} (${detail})`))
    .join(', ')
}

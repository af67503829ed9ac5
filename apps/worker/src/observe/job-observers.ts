import type { Metrics } from '@isopod/telemetry'
import type { Audit, AuditSubject } from '../audit/audit-event.ts'
import type { PolicyEvent } from '../jobs/policy-gate.ts'
import type { EgressEvent } from '../network/egress-proxy.ts'

/** Makes the function that audits policy decisions and counts the rules that jobs were refused for. */
export function policyObserver(metrics: Metrics, audit: Audit): (event: PolicyEvent) => void {
  return ({ id, attempt, language, decision }) => {
    const { policy, checked, findings, problems } = decision
    const refused = problems.length > 0
    const rules = [...new Set(findings.map(({ rule }) => rule))]
    audit({ event: 'policy_decided', job: id, attempt, policy, checked, rules, refused })
    if (!refused) return
    const blocking = findings.filter(({ severity }) => severity === 'block').map(({ rule }) => rule)
    // Without a blocking rule, the refusal is for source that could not be checked.
    if (blocking.length === 0) blocking.push('unchecked')
    for (const rule of new Set(blocking)) metrics.policyRejections.inc({ language, rule })
  }
}

/** Makes the function that audits and counts the connections of jobs. */
export function egressObserver(
  metrics: Metrics,
  audit: Audit,
): (subject: AuditSubject, event: EgressEvent) => void {
  return (subject, event) => {
    const { profile, outcome, bytesUp, bytesDown } = event
    metrics.egressConnections.inc({ profile, outcome })
    metrics.egressBytes.inc({ profile, direction: 'up' }, bytesUp)
    metrics.egressBytes.inc({ profile, direction: 'down' }, bytesDown)
    audit({ event: 'egress', ...subject, ...event })
  }
}

import type { Finding } from './finding.ts'

/**
 * Judges the version of runc. Older ones than 1.2.8, 1.3.3 and 1.4.0 have three known ways out of a container, all through
 * masked paths and `/proc` at its start (CVE-2025-31133, CVE-2025-52565, CVE-2025-52881).
 */
export function judgeRunc(version: string | undefined): Finding {
  const subject = 'runc'
  const numbers = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version ?? '')
  if (version === undefined || numbers === null) {
    return { state: 'warning', subject, text: 'the engine does not say which version it has' }
  }
  const [major = 0, minor = 0, patch = 0] = numbers.slice(1).map(Number)
  // As one number, so that 1.10.0 is later than 1.9.9.
  const number = major * 1_000_000 + minor * 1_000 + patch
  const patched = number >= 1_003_003 || (number >= 1_002_008 && number < 1_003_000)
  if (patched) return { state: 'ok', subject, text: version }
  const advice = 'upgrade to 1.2.8, 1.3.3 or later, unless your distribution has mended this one'
  return { state: 'warning', subject, text: `${version} has known escapes; ${advice}` }
}

import { RUNC_ADVICE, runcEscapes } from '@isopod/protocol'
import type { Finding } from './finding.ts'

/**
 * Judges the version of runc as a worker would.
 *
 * @param accepted whether workers accept one with known escapes, or use another runtime
 */
export function judgeRunc(version: string | undefined, accepted: boolean): Finding {
  const subject = 'runc'
  const escapes = runcEscapes(version ?? '')
  if (version === undefined || escapes === undefined) {
    return { state: 'warning', subject, text: 'the engine does not report the version of runc' }
  }
  if (escapes.length === 0) return { state: 'ok', subject, text: version }
  const known = `${version} has known escapes (${escapes.join(', ')})`
  if (accepted) return { state: 'warning', subject, text: `${known}; ${RUNC_ADVICE}` }
  return { state: 'failed', subject, text: `${known}, and workers refuse it; ${RUNC_ADVICE}` }
}

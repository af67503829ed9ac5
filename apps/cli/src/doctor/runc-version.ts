import { RUNC_ADVICE, runcEscapes } from '@isopod/protocol'
import type { Finding } from './finding.ts'

/** Judges the version of runc; a worker refuses one with known escapes unless it is told otherwise. */
export function judgeRunc(version: string | undefined): Finding {
  const subject = 'runc'
  const escapes = runcEscapes(version ?? '')
  if (version === undefined || escapes === undefined) {
    return { state: 'warning', subject, text: 'the engine does not say which version it has' }
  }
  if (escapes.length === 0) return { state: 'ok', subject, text: version }
  const text = `${version} has known escapes (${escapes.join(', ')}); ${RUNC_ADVICE}`
  return { state: 'warning', subject, text }
}

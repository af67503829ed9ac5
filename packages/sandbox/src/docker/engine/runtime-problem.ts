import { RUNC_ADVICE, runcEscapes } from '@isopod/protocol'
import type { EngineFacts } from './engine-facts.ts'

/** Names of programs and containerd shims of other runtimes than runc. */
const OTHERS = /^(runsc|crun|youki|kata)\b|^io\.containerd\.(runsc|kata)\b/

/**
 * Checks a runtime against the known escapes of runc.
 *
 * @param runtime its name; undefined for the engine's default
 * @returns `refused` for a runc with known escapes, `unknown` if the engine does not report its version, each with the
 *   reason as one sentence; undefined for any other runtime
 */
export function runtimeProblem(
  facts: Pick<EngineFacts, 'runcVersion' | 'runtimePrograms' | 'defaultRuntime'>,
  runtime: string | undefined,
): { readonly state: 'refused' | 'unknown'; readonly reason: string } | undefined {
  const name = runtime ?? facts.defaultRuntime
  const program = facts.runtimePrograms[name]?.split('/').at(-1)
  // A runtime of unknown program counts as runc, which nearly all are or call.
  if (OTHERS.test(program || name)) return undefined
  const { runcVersion } = facts
  const escapes = runcVersion === undefined ? undefined : runcEscapes(runcVersion)
  if (escapes === undefined) {
    const reason = `the engine does not say which version of runc it has; ${RUNC_ADVICE}`
    return { state: 'unknown', reason }
  }
  if (escapes.length === 0) return undefined
  const reason = `the engine's runc is ${runcVersion}, which has known escapes (${escapes.join(', ')}); ${RUNC_ADVICE}`
  return { state: 'refused', reason }
}

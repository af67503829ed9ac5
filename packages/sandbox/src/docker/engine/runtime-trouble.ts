import { RUNC_ADVICE, runcEscapes } from '@isopod/protocol'
import type { EngineFacts } from './engine-facts.ts'

/** Runtimes that are other programs than runc, by the name of their program or of their containerd shim. */
const OTHERS = /^(runsc|crun|youki|kata)\b|^io\.containerd\.(runsc|kata)\b/

/**
 * What is known against the runtime that containers would get.
 *
 * @param runtime its name; undefined for the engine's default
 * @returns `refused` for a runc with known escapes, `unknown` for one whose version nobody tells, each with the reason as
 *   one sentence; undefined when nothing is
 */
export function runtimeTrouble(
  facts: Pick<EngineFacts, 'runcVersion' | 'runtimePrograms' | 'defaultRuntime'>,
  runtime: string | undefined,
): { readonly state: 'refused' | 'unknown'; readonly reason: string } | undefined {
  const name = runtime ?? facts.defaultRuntime
  const program = facts.runtimePrograms[name]?.split('/').at(-1)
  // What cannot be told is taken for runc, which nearly everything is or calls.
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

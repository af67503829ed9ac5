import type { EngineService } from '../engine/engine-service.ts'
import { stackPaths } from '../paths.ts'

/**
 * The settings of a worker on an engine, or without one: with the process driver. On a private engine an old runc is accepted, with a
 * warning, because distributions often package an old one and there is no better one to try Isopod with. On any other engine the
 * user decides.
 */
export function workerSettings(engine: EngineService | undefined, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { roots, sandboxes } = stackPaths(env)
  // The roots that `isopod roots` and `ensureRoots` make.
  const settings = { ...env, ISOPOD_ROOTS_DIR: roots }
  if (engine === undefined) {
    const state = env['ISOPOD_SANDBOX_STATE_DIR'] || sandboxes
    return { ...settings, ISOPOD_DRIVER: 'process', ISOPOD_SANDBOX_STATE_DIR: state }
  }
  if (!engine.ours) return settings
  return { ...settings, ISOPOD_ALLOW_OLD_RUNC: env['ISOPOD_ALLOW_OLD_RUNC'] || 'true' }
}

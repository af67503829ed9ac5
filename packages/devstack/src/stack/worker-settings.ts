import type { EngineService } from '../engine/engine-service.ts'
import { stackPaths } from '../paths.ts'

/**
 * The settings of a worker on an engine. On a private engine an old runc is accepted, with a warning, because distributions often
 * package an old one and there is no better one to try Isopod with. On any other engine the user decides.
 */
export function workerSettings(engine: EngineService, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // The roots that `isopod roots` and `ensureRoots` make.
  const settings = { ...env, ISOPOD_ROOTS_DIR: stackPaths(env).roots }
  if (!engine.ours) return settings
  return { ...settings, ISOPOD_ALLOW_OLD_RUNC: env['ISOPOD_ALLOW_OLD_RUNC'] || 'true' }
}

import type { EngineService } from '../engine/engine-service.ts'

/**
 * The settings of a worker on an engine. The packages of a distribution are often behind, and there is nothing better to
 * try Isopod with: on an engine that set-up started itself an old runc is accepted, and the worker warns. On an engine of
 * the user's own the decision is the user's.
 */
export function workerSettings(engine: EngineService, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return engine.ours ? { ...env, ISOPOD_ALLOW_OLD_RUNC: env['ISOPOD_ALLOW_OLD_RUNC'] || 'true' } : env
}

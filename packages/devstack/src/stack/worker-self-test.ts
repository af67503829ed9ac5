import { join } from 'node:path'
import type { EngineService } from '../engine/engine-service.ts'
import { CHECKOUT } from '../paths.ts'
import { SetupError } from '../setup-error.ts'
import { workerSettings } from './worker-settings.ts'

/** Options of {@link runSelfTest}. */
export interface WorkerSelfTestOptions {
  readonly engine: EngineService
  /** The worker's settings. */
  readonly env: NodeJS.ProcessEnv
  /** Gets each line as it comes: one JSON object, see the worker's README. */
  readonly onLine: (line: string) => void
}

/**
 * Has a worker process attack containers of its own on an engine; needs no Redis.
 *
 * @returns its exit code: 0 when all probes held
 * @throws {SetupError} with the worker's own words when it could not test
 */
export async function runSelfTest({ engine, env, onLine }: WorkerSelfTestOptions): Promise<number> {
  const launcher = join(CHECKOUT, 'apps', 'worker', 'bin', 'isopod-worker.js')
  const { ISOPOD_STATE_DIR: _, ISOPOD_DEBUG: __, ...settings } = workerSettings(engine, env)
  const { execa } = await import('execa')
  const child = execa(process.execPath, [launcher, 'self-test'], {
    cwd: CHECKOUT,
    env: { ...settings, DOCKER_HOST: engine.dockerHost },
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
  })
  let finished = false
  for await (const line of child) {
    finished = line.includes('"contained"')
    onLine(line)
  }
  const { exitCode, signal, stderr } = await child
  if (exitCode === undefined || !finished) {
    throw new SetupError(stderr.trim() || `the self-test ended with ${exitCode ?? signal}`)
  }
  return exitCode
}

import { join } from 'node:path'
import type { EngineService } from '../engine/engine-service.ts'
import { CHECKOUT } from '../paths.ts'
import { SetupError } from '../setup-error.ts'
import { workerSettings } from './worker-settings.ts'

/** Options of {@link runSelfTest}. */
export interface WorkerSelfTestOptions {
  /** The engine to test; without one, the process driver. */
  readonly engine: EngineService | undefined
  /** The worker's settings. */
  readonly env: NodeJS.ProcessEnv
  /** Receives each line, a JSON object that the worker's README describes. */
  readonly onLine: (line: string) => void
}

/**
 * Runs the self-test of a worker process on an engine, or with the process driver. Needs no Redis.
 *
 * @returns its exit code; 0 if the containers withstood all probes
 * @throws {SetupError} with the worker's message if it could not run the test
 */
export async function runSelfTest({ engine, env, onLine }: WorkerSelfTestOptions): Promise<number> {
  const launcher = join(CHECKOUT, 'apps', 'worker', 'bin', 'isopod-worker.js')
  const { ISOPOD_STATE_DIR: _, ISOPOD_DEBUG: __, ...settings } = workerSettings(engine, env)
  const { execa } = await import('execa')
  const child = execa(process.execPath, [launcher, 'self-test'], {
    cwd: CHECKOUT,
    env: engine === undefined ? settings : { ...settings, DOCKER_HOST: engine.dockerHost },
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

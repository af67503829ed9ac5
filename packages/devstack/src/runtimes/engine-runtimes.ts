import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { engineJson } from '../engine/engine-api.ts'
import type { EngineService } from '../engine/engine-service.ts'
import { dockerdConfig } from '../engine/private-engine.ts'
import type { Log } from '../log.ts'
import type { Paths } from '../paths.ts'
import { isRunning } from '../process/process-identity.ts'
import { SetupError } from '../setup-error.ts'
import { readRecord } from '../stack-record.ts'
import { ensureRunsc } from './runsc.ts'

/** OCI runtimes that set-up can install. */
export type ExtraRuntime = 'runsc'

const RELOAD_DEADLINE_MS = 10_000

/**
 * Adds these runtimes to a private engine, without a restart. Any other engine must already have them.
 *
 * @throws {SetupError} if it lacks one that set-up cannot install
 */
export async function ensureRuntimes(
  engine: EngineService,
  paths: Paths,
  wanted: readonly ExtraRuntime[],
  options: { env: NodeJS.ProcessEnv; log: Log },
): Promise<void> {
  const known = await runtimesOf(engine.dockerHost)
  if (wanted.every((name) => known.includes(name))) return
  if (!engine.ours) {
    throw new SetupError(
      `the engine at ${engine.dockerHost} has no runtime ${wanted.join(', ')}; ` +
        'add it to that engine’s daemon.json (docs/gvisor.md shows how), or unset DOCKER_HOST for a private engine',
    )
  }
  const runsc = await ensureRunsc(engine, paths, options)
  await writeFile(join(paths.state, 'dockerd.json'), dockerdConfig(paths, runsc), { mode: 0o600 })
  const { engine: recorded } = await readRecord(paths)
  if (recorded && isRunning(recorded.dockerd)) process.kill(recorded.dockerd.pid, 'SIGHUP')
  const deadline = performance.now() + RELOAD_DEADLINE_MS
  while (!(await runtimesOf(engine.dockerHost)).includes('runsc')) {
    if (performance.now() > deadline) {
      throw new SetupError(`the private Docker engine did not accept ${runsc} as a runtime; see its log`)
    }
    await sleep(50)
  }
}

/** Names of the runtimes that an engine has. */
async function runtimesOf(dockerHost: string): Promise<string[]> {
  const { Runtimes } = (await engineJson(dockerHost, '/info')) as { Runtimes?: object }
  return Object.keys(Runtimes ?? {})
}

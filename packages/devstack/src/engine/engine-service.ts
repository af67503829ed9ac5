import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import type { Paths } from '../paths.ts'
import { isRunning } from '../process/process-identity.ts'
import { SetupError } from '../setup-error.ts'
import { readRecord } from '../stack-record.ts'
import { installPackages } from '../system-packages.ts'
import { checkEngine } from './engine-api.ts'
import { startPrivateEngine } from './private-engine.ts'

/** A Docker engine to work with. */
export interface EngineService {
  /** Its address, as in `DOCKER_HOST`. */
  readonly dockerHost: string
  /** True if set-up has started it, and `stackDown` will stop it. */
  readonly ours: boolean
}

/**
 * The engine of `DOCKER_HOST` or of the default socket (`DOCKER_SOCKET_PATH`, `/var/run/docker.sock`, Docker Desktop's)
 * if it answers a ping; otherwise a private one from the distribution's packages, with its own data, sockets and containerd.
 *
 * @param options.privateOnly ignores the environment and uses a private engine
 * @throws {SetupError} if there is none and none can be started
 */
export async function findOrStartEngine(
  paths: Paths,
  options: { env: NodeJS.ProcessEnv; log: Log; privateOnly?: boolean },
): Promise<EngineService> {
  const { env, log } = options
  const found = options.privateOnly ? undefined : await findEngine(env, log)
  const recorded = (await readRecord(paths)).engine
  if (found !== undefined) return { dockerHost: found, ours: found === recorded?.dockerHost }

  if (
    recorded &&
    isRunning(recorded.dockerd) &&
    (await checkEngine(recorded.dockerHost, env)) === undefined
  ) {
    return { dockerHost: recorded.dockerHost, ours: true }
  }
  if (process.platform !== 'linux') {
    throw new SetupError('no Docker engine answers; start Docker Desktop (or set DOCKER_HOST) and try again')
  }
  if (process.getuid?.() !== 0) {
    throw new SetupError(
      'no Docker engine answers, and starting a private one needs root; start Docker, or run this command as root',
    )
  }
  await installPackages(['engine', 'docker-cli'], log, env)
  return { dockerHost: await startPrivateEngine(paths, { env, log }), ours: true }
}

async function findEngine(env: NodeJS.ProcessEnv, log: Log): Promise<string | undefined> {
  const given = env['DOCKER_HOST']
  if (given) {
    const problem = await checkEngine(given, env)
    if (problem === undefined) return given
    log(`DOCKER_HOST ${given} ${problem}: looking for another engine`)
  }
  const sockets = [
    env['DOCKER_SOCKET_PATH'],
    '/var/run/docker.sock',
    join(homedir(), '.docker', 'run', 'docker.sock'),
  ]
  for (const socket of sockets) {
    if (socket && (await checkEngine(`unix://${socket}`, env)) === undefined) return `unix://${socket}`
  }
  return undefined
}

import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { makePaths, type Paths } from '../paths.ts'
import { identifyProcess, isRunning } from '../process/process-identity.ts'
import { SetupError } from '../setup-error.ts'
import { readRecord, updateRecord } from '../stack-record.ts'
import { installPackages } from '../system-packages.ts'
import { checkRedis, withoutPassword } from './redis-ping.ts'
import { startRedisServer } from './redis-server.ts'

/** A Redis to work with. */
export interface RedisService {
  readonly url: string
  /** True if set-up has started it, and `stackDown` will stop it. */
  readonly ours: boolean
}

/**
 * The Redis of `REDIS_URL` if it answers PING within 2 s; otherwise a private one on a unix socket, which keeps its data
 * (append-only file, no eviction) and outlives this process.
 *
 * @param options.privateOnly ignores the environment and uses a private Redis
 * @throws {SetupError} if there is none and none can be started
 */
export async function findOrStartRedis(
  paths: Paths,
  options: { env: NodeJS.ProcessEnv; log: Log; privateOnly?: boolean },
): Promise<RedisService> {
  const { env, log } = options
  const given = options.privateOnly ? undefined : env['REDIS_URL']
  if (given) {
    const problem = await checkRedis(given)
    if (problem === undefined) return { url: given, ours: false }
    log(`REDIS_URL ${withoutPassword(given)} ${problem}: using a private Redis instead`)
  }
  const recorded = (await readRecord(paths)).redis
  if (recorded && isRunning(recorded.process) && (await checkRedis(recorded.url)) === undefined) {
    return { url: recorded.url, ours: true }
  }
  await installPackages(['redis'], log, env)
  await makePaths(paths)
  const server = await startRedisServer({
    directory: await shortPath(paths),
    persistent: true,
    detached: true,
  }).catch((cause: Error) => {
    throw new SetupError(cause.message, { cause })
  })
  const process = identifyProcess(server.pid)
  if (process === undefined) throw new SetupError('the private Redis ended right after its start')
  await updateRecord(paths, (record) => ({ ...record, redis: { process, url: server.url } }))
  log('started a private Redis')
  return { url: server.url, ours: true }
}

/** A link in the runtime directory to the Redis folder in the state directory, whose path can be too long for a socket. */
async function shortPath(paths: Paths): Promise<string> {
  await mkdir(paths.redis, { recursive: true, mode: 0o700 })
  const link = join(paths.runtime, 'redis')
  await symlink(paths.redis, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return link
}

import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { makePlaces, type Places } from './places.ts'
import { identifyProcess, isRunning } from './process-identity.ts'
import { redisTrouble, withoutPassword } from './redis-ping.ts'
import { startRedisServer } from './redis-server.ts'
import type { Say } from './say.ts'
import { SetupError } from './setup-error.ts'
import { readRecord, updateRecord } from './stack-record.ts'
import { installPackages } from './system-packages.ts'

/** A Redis to work with. */
export interface RedisService {
  readonly url: string
  /** True if set-up has started it, and `stackDown` will stop it. */
  readonly ours: boolean
}

/**
 * The Redis of `REDIS_URL` if it answers PING within 2 s; else a private one on a unix socket that keeps its data
 * (append-only file, no eviction) and outlives this process.
 *
 * @param options.privateOnly start our own whatever the environment says
 * @throws {SetupError} when there is none and none can be started
 */
export async function findOrStartRedis(
  places: Places,
  options: { env: NodeJS.ProcessEnv; say: Say; privateOnly?: boolean },
): Promise<RedisService> {
  const { env, say } = options
  const given = options.privateOnly ? undefined : env['REDIS_URL']
  if (given) {
    const trouble = await redisTrouble(given)
    if (trouble === undefined) return { url: given, ours: false }
    say(`REDIS_URL ${withoutPassword(given)} ${trouble}: using a private Redis instead`)
  }
  const recorded = (await readRecord(places)).redis
  if (recorded && isRunning(recorded.process) && (await redisTrouble(recorded.url)) === undefined) {
    return { url: recorded.url, ours: true }
  }
  await installPackages(['redis'], say, env)
  await makePlaces(places)
  const server = await startRedisServer({
    directory: await shortPath(places),
    persistent: true,
    detached: true,
  }).catch((cause: Error) => {
    throw new SetupError(cause.message, { cause })
  })
  const process = identifyProcess(server.pid)
  if (process === undefined) throw new SetupError('the private Redis ended right after its start')
  await updateRecord(places, (record) => ({ ...record, redis: { process, url: server.url } }))
  say('started a private Redis')
  return { url: server.url, ours: true }
}

/** Its data belong to the state directory, but a socket's path must be short: a link in the runtime directory is both. */
async function shortPath(places: Places): Promise<string> {
  await mkdir(places.redis, { recursive: true, mode: 0o700 })
  const link = join(places.runtime, 'redis')
  await symlink(places.redis, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return link
}

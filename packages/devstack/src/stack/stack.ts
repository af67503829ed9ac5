import { checkEngine } from '../engine/engine-api.ts'
import { type EngineService, findOrStartEngine } from '../engine/engine-service.ts'
import { baseImage as makeBaseImage } from '../images/base-image.ts'
import { type ImageName, USUAL_IMAGES } from '../images/image-names.ts'
import { buildImages } from '../images/images.ts'
import { ensureInitBinary } from '../images/init-binary.ts'
import { withLock } from '../lock.ts'
import type { Log } from '../log.ts'
import { stackPaths } from '../paths.ts'
import { checkService } from '../process/service-process.ts'
import { checkRedis } from '../redis/redis-ping.ts'
import { findOrStartRedis, type RedisService } from '../redis/redis-service.ts'
import { type ExtraRuntime, ensureRuntimes } from '../runtimes/engine-runtimes.ts'
import { asSetupError } from '../setup-error.ts'
import { readRecord } from '../stack-record.ts'
import { ensureWorkers } from './stack-workers.ts'

/** Options of {@link ensureStack}. */
export interface StackOptions {
  /** Minimum number of workers, which outlive this process. @default 1 */
  readonly workers?: number
  /** Language images to build if they are missing or outdated. @default {@link USUAL_IMAGES} */
  readonly images?: readonly ImageName[]
  /** OCI runtimes to add to the engine. @default runsc if `ISOPOD_RUNTIME` names it */
  readonly runtimes?: readonly ExtraRuntime[]
  /** Whether to ignore the environment and use a private Redis and engine. @default false */
  readonly privateOnly?: boolean
  /**
   * `REDIS_URL`, `DOCKER_HOST`, `DOCKER_SOCKET_PATH`, `ISOPOD_STATE_DIR`, `CI`, and settings of the workers. @default
   * process.env
   */
  readonly env?: NodeJS.ProcessEnv
  /** Receives one line per step. @default none */
  readonly log?: Log
}

/** Services that are ready. */
export interface Stack {
  /** Label `isopod.stack` of its workers' containers. */
  readonly id: string
  readonly redis: RedisService
  readonly engine: EngineService
  /** The recorded workers: base of `/metrics` and `/readyz`, log file, process id. */
  readonly workers: readonly { readonly url: string; readonly log: string; readonly pid: number }[]
}

/**
 * Provides everything that a job needs: Redis, a Docker engine, init, images, workers. Uses the parts that already run;
 * installs and starts the missing ones. Concurrent calls are safe, even from several processes.
 *
 * @throws {SetupError} one sentence about the part that is missing
 *
 * @example
 * ```ts
 * const stack = await ensureStack({ workers: 1, log: (line) => console.error(line) })
 * const client = await connect({ url: stack.redis.url })
 * ```
 */
export async function ensureStack(options: StackOptions = {}): Promise<Stack> {
  const { env = process.env, log = () => {}, privateOnly = false, images = USUAL_IMAGES } = options
  const runtimes = options.runtimes ?? (env['ISOPOD_RUNTIME'] === 'runsc' ? ['runsc'] : [])
  const paths = stackPaths(env)
  const locked = <T>(work: () => Promise<T>) => withLock(paths.lock, work, { log })
  return await asSetupError(async () => {
    const { engine, redis } = await locked(async () => {
      const engine = await findOrStartEngine(paths, { env, log, privateOnly })
      await ensureRuntimes(engine, paths, runtimes, { env, log })
      return { engine, redis: await findOrStartRedis(paths, { env, log, privateOnly }) }
    })
    // Without the lock, because builds take long and other commands may need no new image.
    await buildImages(engine, images, { env, log })
    return await locked(async () => {
      await ensureInitBinary(engine, { env, log })
      const context = { redisUrl: redis.url, engine, env, log }
      const workers = await ensureWorkers(paths, options.workers ?? 1, context)
      return { id: paths.id, redis, engine, workers: workers.map(summary) }
    })
  })
}

/**
 * Finds the stack that an earlier call left running, with at least one worker. Starts nothing, and takes well under a second.
 *
 * @returns undefined if there is none, or a part of it no longer runs
 */
export async function findStack(options: Pick<StackOptions, 'env'> = {}): Promise<Stack | undefined> {
  const paths = stackPaths(options.env)
  const record = await readRecord(paths)
  const [first] = record.workers
  if (first === undefined) return undefined
  const { redisUrl, dockerHost } = first
  const problems = await Promise.all([
    checkRedis(redisUrl),
    checkEngine(dockerHost, options.env),
    checkService(first.url),
  ])
  if (problems.some((problem) => problem !== undefined)) return undefined
  return {
    id: paths.id,
    redis: { url: redisUrl, ours: redisUrl === record.redis?.url },
    engine: { dockerHost, ours: dockerHost === record.engine?.dockerHost },
    workers: record.workers.map(summary),
  }
}

/** Finds the private Redis and engine that an earlier call left running. Starts nothing. */
export async function findPrivateServices(
  options: Pick<StackOptions, 'env'> = {},
): Promise<Partial<Pick<Stack, 'redis' | 'engine'>>> {
  const { redis, engine } = await readRecord(stackPaths(options.env))
  const [redisProblem, engineProblem] = await Promise.all([
    redis && checkRedis(redis.url),
    engine && checkEngine(engine.dockerHost, options.env),
  ])
  return {
    ...(redis && redisProblem === undefined && { redis: { url: redis.url, ours: true } }),
    ...(engine && engineProblem === undefined && { engine: { dockerHost: engine.dockerHost, ours: true } }),
  }
}

/**
 * Provides a bare Debian image, which has perl and no other language. Specs use it to prove that any image can be a language's.
 *
 * @returns its tag
 */
export async function ensureBaseImage(
  engine: EngineService,
  options: Pick<StackOptions, 'env' | 'log'> = {},
): Promise<string> {
  const { env = process.env, log = () => {} } = options
  return (await makeBaseImage(engine, { env, log })).tag
}

function summary({ url, log, process }: { url: string; log: string; process: { pid: number } }) {
  return { url, log, pid: process.pid }
}

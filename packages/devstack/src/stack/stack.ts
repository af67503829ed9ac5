import { checkEngine } from '../engine/engine-api.ts'
import { type EngineService, findOrStartEngine } from '../engine/engine-service.ts'
import { baseImage as makeBaseImage } from '../images/base-image.ts'
import { engineBuilder } from '../images/engine-builder.ts'
import { type ImageName, USUAL_IMAGES } from '../images/image-names.ts'
import { buildImages } from '../images/images.ts'
import { ensureInitBinary, ensureLocalPrograms, hasLocalPrograms } from '../images/init-binary.ts'
import { withLock } from '../lock.ts'
import type { Log } from '../log.ts'
import { stackPaths } from '../paths.ts'
import { checkService } from '../process/service-process.ts'
import { checkRedis } from '../redis/redis-ping.ts'
import { findOrStartRedis, type RedisService } from '../redis/redis-service.ts'
import { buildRoots, outdatedRoots } from '../roots/build-roots.ts'
import { type ExtraRuntime, ensureRuntimes } from '../runtimes/engine-runtimes.ts'
import { asSetupError, SetupError } from '../setup-error.ts'
import { readRecord } from '../stack-record.ts'
import { installPackages, type SystemNeed } from '../system-packages.ts'
import { ensureWorkers } from './stack-workers.ts'

/** What makes the sandboxes of a stack. */
export type StackDriver = 'docker' | 'process'

/** Options of {@link ensureStack}. */
export interface StackOptions {
  /** `process` needs no engine, and none is asked for or started. @default docker */
  readonly driver?: StackDriver
  /** Minimum number of workers, which outlive this process. @default 1 */
  readonly workers?: number
  /** Language images to build if they, or with the driver `process` their roots, are missing or outdated. @default {@link USUAL_IMAGES} */
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
  /** Absent with the driver `process`. */
  readonly engine?: EngineService
  /** The recorded workers: base of `/metrics` and `/readyz`, log file, process id. */
  readonly workers: readonly { readonly url: string; readonly log: string; readonly pid: number }[]
}

/** A stack whose workers use an engine. */
export interface EngineStack extends Stack {
  readonly engine: EngineService
}

/**
 * Provides everything that a job needs: Redis, a Docker engine and images, or roots for the process driver, init, workers. Uses
 * the parts that already run; installs and starts the missing ones. Concurrent calls are safe, even from several processes.
 *
 * @throws {SetupError} one sentence about the part that is missing
 *
 * @example
 * ```ts
 * const stack = await ensureStack({ workers: 1, log: (line) => console.error(line) })
 * const client = await connect({ url: stack.redis.url })
 * ```
 */
export function ensureStack(options?: StackOptions & { readonly driver?: 'docker' }): Promise<EngineStack>
export function ensureStack(options: StackOptions): Promise<Stack>
export async function ensureStack(options: StackOptions = {}): Promise<Stack> {
  if (options.driver === 'process') return await ensureProcessStack(options)
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
    await buildImages(engineBuilder(engine, { env, log }), images, { env, log })
    return await locked(async () => {
      await ensureInitBinary(engine, { env, log })
      const context = { redisUrl: redis.url, engine, env, log }
      const workers = await ensureWorkers(paths, options.workers ?? 1, context)
      return { id: paths.id, redis, engine, workers: workers.map(summary) }
    })
  })
}

/** Provides a stack without an engine. */
async function ensureProcessStack(options: StackOptions): Promise<Stack> {
  const { env = process.env, log = () => {}, privateOnly = false, images = USUAL_IMAGES } = options
  const paths = stackPaths(env)
  return await asSetupError(async () => {
    await installForProcesses(images, { env, log })
    const redis = await withLock(paths.lock, () => findOrStartRedis(paths, { env, log, privateOnly }), {
      log,
    })
    // Without the lock, because builds take long and other commands may need no new root.
    await buildRoots(images, { env, log })
    const start = async () => {
      await ensureLocalPrograms({ env, log })
      const context = { redisUrl: redis.url, engine: undefined, env, log }
      return await ensureWorkers(paths, options.workers ?? 1, context)
    }
    const workers = await withLock(paths.lock, start, { log })
    return { id: paths.id, redis, workers: workers.map(summary) }
  })
}

/** Installs everything that is needed at once, because each call of apt-get takes seconds. */
async function installForProcesses(
  images: readonly ImageName[],
  { env, log }: { env: NodeJS.ProcessEnv; log: Log },
): Promise<void> {
  if (process.platform !== 'linux') {
    throw new SetupError('the process driver needs Linux; use the driver docker here')
  }
  const needs: SystemNeed[] = []
  if (!env['REDIS_URL']) needs.push('redis')
  if ((await outdatedRoots(images, env)).length > 0) needs.push('buildah', 'debootstrap')
  if (!(await hasLocalPrograms())) needs.push('c-compiler')
  await installPackages(needs, log, env)
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
    dockerHost === undefined ? undefined : checkEngine(dockerHost, options.env),
    checkService(first.url, first.process.pid),
  ])
  if (problems.some((problem) => problem !== undefined)) return undefined
  return {
    id: paths.id,
    redis: { url: redisUrl, ours: redisUrl === record.redis?.url },
    ...(dockerHost && { engine: { dockerHost, ours: dockerHost === record.engine?.dockerHost } }),
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

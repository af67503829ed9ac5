import { ConfigError, UnavailableError } from '@isopod/protocol'
import type { Redis, RedisOptions } from 'ioredis'
import pTimeout from 'p-timeout'
import { StorageFullError } from '../errors.ts'
import { GuardedRedis } from './guarded-redis.ts'
import type { ResolvedOptions } from './queue-options.ts'
import { RedisClock } from './redis-clock.ts'
import { isFull } from './redis-memory.ts'
import { parseRedisUrl, type RedisAddress } from './redis-url.ts'

/** Timeout of the first contact, in milliseconds; below the 5 s of a whole call. */
const CONNECT_TIMEOUT_MS = 4000
/** How often an idle connection is tested, in milliseconds. */
const PING_INTERVAL_MS = 3000
/**
 * How long a connection may owe an answer before it is dropped and opened again, in milliseconds. Longer than BullMQ's longest
 * blocking command, which takes 10 s.
 */
const SOCKET_TIMEOUT_MS = 12_000
const MINIMUM_VERSION = [6, 2] as const

/** Options without the member that the constructor's overloads do not allow to be undefined. */
type ConstructorOptions = Omit<RedisOptions, 'replyMapping'>

/** A checked connection, its clock, and its URL for messages. */
export interface CheckedRedis {
  readonly redis: Redis
  readonly clock: RedisClock
  readonly shownUrl: string
}

/**
 * What happens to commands during an outage of Redis: `fail`, they fail after about 3 s, for callers that wait; `wait`, they are
 * sent when Redis is back, for finished work that must not be lost.
 */
export type DuringOutage = 'fail' | 'wait'

/**
 * Connects to Redis and checks that it can hold jobs: it answers within 4 s, is 6.2 or newer, and never evicts keys.
 *
 * @throws {UnavailableError} naming the URL, without its password
 * @throws {ConfigError} if Redis refuses the login or lacks the database; names the URL, without its password
 */
export async function connectRedis(
  options: ResolvedOptions,
  duringOutage: DuringOutage,
): Promise<CheckedRedis> {
  const address = parseRedisUrl(options.url)
  let checked = false
  const redisOptions: ConstructorOptions = {
    ...address.options,
    ...outageOptions(duringOutage),
    // BullMQ expects RESP2 replies; those of RESP3 have other shapes.
    protocol: 2,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    // Before the first success a caller waits for the error; later, the connection is restored.
    retryStrategy: (times) => (checked ? Math.min(times * 200, 1000) : null),
  }
  const redis = new GuardedRedis(redisOptions)
  const clock = new RedisClock(redis)
  let lastError: Error | undefined
  // Without a listener, an error of the connection would end the process.
  redis.on('error', (error: Error) => {
    lastError = error
  })
  try {
    await pTimeout(check(redis, clock, options, address), {
      milliseconds: CONNECT_TIMEOUT_MS,
      message: 'no answer within 4 s',
    })
    checked = true
    // BullMQ never recovers from a lazy duplicate that breaks while it connects.
    redis.options.lazyConnect = false
    return { redis, clock, shownUrl: address.shown }
  } catch (error) {
    redis.disconnect()
    if (error instanceof UnavailableError || error instanceof ConfigError) throw error
    throw refusedLogin(address.shown, lastError ?? error) ?? unavailable(address.shown, lastError ?? error)
  }
}

/** A second connection, whose commands wait during an outage. */
export function waitingDuplicate(redis: Redis): Redis {
  const options: ConstructorOptions = { ...redis.options, ...outageOptions('wait') }
  const duplicate = new GuardedRedis(options)
  duplicate.on('error', () => {})
  keepPinging(duplicate)
  return duplicate
}

/** Pings a connection until it ends: without a command, nothing would notice that its peer is dead. The main one reads the clock. */
function keepPinging(redis: Redis): void {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => {})
  }, PING_INTERVAL_MS).unref()
  redis.once('end', () => clearInterval(timer))
}

/** The error for a Redis that does not answer, or is full, in one sentence. */
export function unavailable(shownUrl: string, cause: unknown): UnavailableError | StorageFullError {
  if (isFull(cause)) {
    return new StorageFullError(`Redis at ${shownUrl} is full: it is at its maxmemory`, { cause })
  }
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
  return new UnavailableError(
    `Redis at ${shownUrl} is not available (${reason}); start it or set REDIS_URL to one that runs`,
    { cause, publicMessage: `Redis at ${shownUrl} is not available${codeOf(cause)}` },
  )
}

/** The system's error code, in parentheses. Messages of Redis are left out, as they can quote a command. */
function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return /^E[A-Z0-9_]{1,31}$/.test(code) ? ` (${code})` : ''
}

function outageOptions(duringOutage: DuringOutage): RedisOptions {
  return { maxRetriesPerRequest: duringOutage === 'wait' ? null : 5 }
}

/** The error for a refused user or password; undefined for any other cause. */
function refusedLogin(shown: string, cause: unknown): ConfigError | undefined {
  const code = cause instanceof Error ? /^(NOAUTH|WRONGPASS)\b/.exec(cause.message)?.[1] : undefined
  if (code === undefined) return undefined
  const sentence =
    code === 'NOAUTH'
      ? `url: Redis at ${shown} asks for a password and was given none; write redis://:password@host:port in url or REDIS_URL`
      : `url: Redis at ${shown} refuses this user and password; correct them in url or REDIS_URL`
  return new ConfigError(sentence, { cause })
}

/** Selects the database. ioredis does so too, but continues with database 0 if Redis has no such database. */
async function selectDatabase(redis: Redis, { options, shown }: RedisAddress): Promise<void> {
  const { db = 0 } = options
  if (db === 0) return
  try {
    await redis.select(db)
  } catch (cause) {
    if (!(cause instanceof Error) || !/^ERR .*(index|cluster)/i.test(cause.message)) throw cause
    throw new ConfigError(
      `url: Redis at ${shown} has no database ${db}; name one that it has in url or REDIS_URL, or none for database 0`,
      { cause },
    )
  }
}

async function check(
  redis: Redis,
  clock: RedisClock,
  options: ResolvedOptions,
  address: RedisAddress,
): Promise<void> {
  const { shown } = address
  await redis.connect()
  await selectDatabase(redis, address)
  const info = await redis.info()
  const version = field(info, 'redis_version') ?? '0'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < MINIMUM_VERSION[0] || (major === MINIMUM_VERSION[0] && minor < MINIMUM_VERSION[1])) {
    throw new UnavailableError(
      `Redis at ${shown} must be version ${MINIMUM_VERSION.join('.')} or newer, got ${version}`,
    )
  }
  await clock.start()
  if (options.allowEviction) return
  // Managed services forbid CONFIG, but not INFO.
  const reply = await redis.config('GET', 'maxmemory-policy').catch(() => [])
  const policy = (Array.isArray(reply) ? reply[1] : undefined) ?? field(info, 'maxmemory_policy') ?? 'unknown'
  if (policy !== 'noeviction') {
    throw new UnavailableError(
      `Redis at ${shown} must have maxmemory-policy noeviction, or it may drop jobs silently, got ${policy}; run "CONFIG SET maxmemory-policy noeviction" there, or allow eviction`,
    )
  }
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
}

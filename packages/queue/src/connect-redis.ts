import { ConfigError, UnavailableError } from '@isopod/protocol'
import { Redis, type RedisOptions } from 'ioredis'
import { batchWrites } from './batch-writes.ts'
import type { ResolvedOptions } from './options.ts'
import { parseRedisUrl, type RedisAddress } from './redis-url.ts'

/** How long the first contact may take, in milliseconds: within the 5 s that a whole command is promised. */
const CONNECT_DEADLINE_MS = 4000
const MINIMUM_VERSION = [6, 2] as const

/** A checked connection, and the URL to name in messages. */
export interface Connection {
  readonly redis: Redis
  readonly shownUrl: string
}

/**
 * How a connection behaves while Redis is away: `fail` gives commands up after about 3 s, for callers that wait;
 * `wait` keeps them until Redis is back, for finished work that must not be lost.
 */
export type Patience = 'fail' | 'wait'

/**
 * Connects to Redis and checks that it can be trusted with jobs: it answers within 5 s, is 6.2 or newer, never evicts.
 *
 * @throws {UnavailableError} one sentence that names the URL, without its password
 * @throws {ConfigError} the same, if Redis refuses the login or has no such database
 */
export async function connectRedis(options: ResolvedOptions, patience: Patience): Promise<Connection> {
  const address = parseRedisUrl(options.url)
  let introduced = false
  // Without that member the type fits the constructor, whose own declaration does not allow it to be undefined.
  const redisOptions: Omit<RedisOptions, 'replyMapping'> = {
    ...address.options,
    ...patienceOptions(patience),
    // The shapes of RESP3 replies differ; BullMQ is written for those of RESP2.
    protocol: 2,
    lazyConnect: true,
    connectTimeout: CONNECT_DEADLINE_MS,
    // Before the first success a caller waits for the error; after it, outages are ridden out.
    retryStrategy: (times) => (introduced ? Math.min(times * 200, 1000) : null),
  }
  const redis = batchWrites(new Redis(redisOptions))
  let lastError: Error | undefined
  // Without a listener each hiccup of the connection would end the process.
  redis.on('error', (error: Error) => {
    lastError = error
  })
  try {
    await within(CONNECT_DEADLINE_MS, introduce(redis, options, address), 'no answer within 4 s')
    introduced = true
    return { redis, shownUrl: address.shown }
  } catch (error) {
    redis.disconnect()
    if (error instanceof UnavailableError || error instanceof ConfigError) throw error
    throw refusedLogin(address.shown, lastError ?? error) ?? unavailable(address.shown, lastError ?? error)
  }
}

/** A second connection like the first, opened when it is first used, that keeps its commands until Redis is back. */
export function patientDuplicate(redis: Redis): Redis {
  const duplicate = batchWrites(redis.duplicate({ ...patienceOptions('wait'), lazyConnect: true }))
  duplicate.on('error', () => {})
  return duplicate
}

/** The error for a Redis that does not answer, in one sentence. */
export function unavailable(shownUrl: string, cause: unknown): UnavailableError {
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
  return new UnavailableError(
    `Redis at ${shownUrl} is not available (${reason}); start it or set REDIS_URL to one that runs`,
    { cause, publicMessage: `Redis at ${shownUrl} is not available${codeOf(cause)}` },
  )
}

/** What an error of the system or of this package says by its code; messages of Redis can quote what it was given. */
function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return /^E[A-Z0-9_]{1,31}$/.test(code) ? ` (${code})` : ''
}

/** Rejects with an error of the given text if the promise takes longer than `ms`. */
export async function within<T>(ms: number, promise: Promise<T>, text: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(text)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

function patienceOptions(patience: Patience): RedisOptions {
  return { maxRetriesPerRequest: patience === 'wait' ? null : 5 }
}

/** The error for a Redis that wants another user or password; undefined if it complains of something else. */
function refusedLogin(shown: string, cause: unknown): ConfigError | undefined {
  const code = cause instanceof Error ? /^(NOAUTH|WRONGPASS)\b/.exec(cause.message)?.[1] : undefined
  if (code === undefined) return undefined
  const sentence =
    code === 'NOAUTH'
      ? `url: Redis at ${shown} asks for a password and was given none; write redis://:password@host:port in url or REDIS_URL`
      : `url: Redis at ${shown} refuses this user and password; correct them in url or REDIS_URL`
  return new ConfigError(sentence, { cause })
}

/** Chooses the database. The client does so too, but goes on with database 0 if Redis has no such one. */
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

async function introduce(redis: Redis, options: ResolvedOptions, address: RedisAddress): Promise<void> {
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
  if (options.allowEviction) return
  // Managed services forbid CONFIG; INFO tells the same there.
  const asked = await redis.config('GET', 'maxmemory-policy').catch(() => [])
  const policy = (Array.isArray(asked) ? asked[1] : undefined) ?? field(info, 'maxmemory_policy') ?? 'unknown'
  if (policy !== 'noeviction') {
    throw new UnavailableError(
      `Redis at ${shown} must have maxmemory-policy noeviction, or it may drop jobs without a word, got ${policy}; run "CONFIG SET maxmemory-policy noeviction" there, or allow eviction`,
    )
  }
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
}

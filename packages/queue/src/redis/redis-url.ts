import { ConfigError } from '@isopod/protocol'
import type { RedisOptions } from 'ioredis'

const ALLOWED = 'redis://host:port, rediss://host:port, redis+unix:///path or the absolute path of a socket'

/** The address of a Redis, for its client and for messages. */
export interface RedisAddress {
  readonly options: RedisOptions
  /** The URL without its password. */
  readonly shown: string
}

/**
 * Parses the address of a Redis.
 *
 * @throws {ConfigError} if it has none of the accepted forms; the message never repeats a password
 */
export function parseRedisUrl(given: string): RedisAddress {
  if (typeof given === 'string' && given.startsWith('/')) {
    return { options: { path: given }, shown: `redis+unix://${given}` }
  }
  let url: URL
  try {
    url = new URL(given)
  } catch {
    throw new ConfigError(`Redis URL: must be ${ALLOWED}`)
  }
  const path = decode(url.pathname)
  const login: RedisOptions = {
    ...(url.username === '' ? {} : { username: decode(url.username) }),
    ...(url.password === '' ? {} : { password: decode(url.password) }),
  }
  const shown = withoutPassword(url)
  switch (url.protocol) {
    case 'redis+unix:':
      if (url.host !== '' || !path.startsWith('/')) {
        throw new ConfigError(`Redis URL: must have an absolute path after redis+unix://, got ${shown}`)
      }
      return { options: { path, ...login, ...database(url.searchParams.get('db') ?? '') }, shown }
    case 'redis:':
    case 'rediss:':
      return {
        options: {
          host: url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
          port: url.port === '' ? 6379 : Number(url.port),
          ...login,
          ...database(path.slice(1)),
          ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
        },
        shown,
      }
    default:
      throw new ConfigError(`Redis URL: must be ${ALLOWED}, got ${shown}`)
  }
}

function withoutPassword(url: URL): string {
  const copy = new URL(url)
  copy.password = ''
  // Some deployments pass secrets as query parameters; only the database number is worth showing.
  const db = url.searchParams.get('db')
  copy.search = db === null ? '' : `?db=${encodeURIComponent(db)}`
  copy.hash = ''
  return copy.href
}

function database(text: string): RedisOptions {
  if (text === '') return {}
  if (!/^\d{1,4}$/.test(text)) {
    throw new ConfigError(`Redis URL: must name the database as a number, got ${JSON.stringify(text)}`)
  }
  return { db: Number(text) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConfigError('Redis URL: must have its special characters written as %XX')
  }
}

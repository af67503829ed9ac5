import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/**
 * Sends PING to a Redis, with the password of the URL. Uses no client library, because the queue owns it.
 *
 * @param url `redis://`, `rediss://`, `redis+unix://<path>` or the absolute path of a socket
 * @returns undefined if it answers PONG, else the reason, as the end of a sentence; never throws
 */
export async function checkRedis(url: string, deadlineMs = 2000): Promise<string | undefined> {
  const target = parseRedisUrl(url)
  if (target === undefined) {
    return 'is not a redis://, rediss:// or redis+unix:// URL'
  }
  return await new Promise((settle) => {
    const socket = target.open()
    const finish = (problem: string | undefined) => {
      clearTimeout(timer)
      socket.destroy()
      settle(problem)
    }
    const timer = setTimeout(() => finish(`does not answer within ${deadlineMs / 1000} s`), deadlineMs)
    let reply = ''
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish(`does not answer (${error.code ?? error.message})`),
    )
    socket.on('close', () => finish('closed the connection'))
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1')
      // Replies arrive in order; that of AUTH matters only if it is an error.
      if (reply.startsWith('-') && reply.includes('\r\n'))
        finish(`refuses: ${reply.slice(1, 80).split('\r\n')[0]}`)
      else if (reply.includes('+PONG\r\n')) finish(undefined)
      else if (reply.length > 1024) finish('is not a Redis')
    })
    socket.write(target.auth + encode(['PING']))
  })
}

/** A Redis URL for messages, without its password. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z+]+:\/\/[^:@/]*):[^@/]*@/i, '$1:***@')
}

interface RedisTarget {
  open(): Socket
  /** The AUTH command, or nothing. */
  readonly auth: string
}

function parseRedisUrl(url: string): RedisTarget | undefined {
  const path = url.startsWith('redis+unix://') ? url.slice('redis+unix://'.length).split('?')[0] : url
  if (path?.startsWith('/')) return { open: () => connectPlain(path), auth: '' }
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname, port, username, password } = new URL(url)
  const place = { host: hostname.replace(/^\[|\]$/g, '') || '127.0.0.1', port: Number(port || 6379) }
  const user = username ? [decodeURIComponent(username)] : []
  const auth = password ? encode(['AUTH', ...user, decodeURIComponent(password)]) : ''
  if (protocol === 'redis:') return { open: () => connectPlain(place), auth }
  if (protocol === 'rediss:') return { open: () => connectTls({ ...place, servername: place.host }), auth }
  return undefined
}

function encode(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
}

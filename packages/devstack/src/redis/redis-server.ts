import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, open, readFile, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Maximum length of the path of a unix socket on Linux, in bytes. */
const MAX_SOCKET_PATH = 107
const START_DEADLINE_MS = 10_000
const STOP_DEADLINE_MS = 10_000

/** Options of {@link startRedisServer}. */
export interface RedisServerOptions {
  /** Folder for socket, log and data; created if missing, only for its owner. */
  readonly directory: string
  /** Whether an append-only file keeps the data over restarts. @default false */
  readonly persistent?: boolean
  /** Whether the server outlives this process. @default false */
  readonly detached?: boolean
}

/** A running private Redis. */
export interface RedisServer {
  /** `redis+unix://` and the absolute path of the socket. */
  readonly url: string
  readonly pid: number
  /** Ends the server. Resolves when it has ended. Idempotent. */
  stop(): Promise<void>
}

/**
 * Starts the distribution's `redis-server` for this user alone: a unix socket and no port, no eviction, no snapshots.
 * Resolves when it answers PING.
 *
 * @throws {Error} one sentence if the binary is missing, the directory's path is too long for a socket, or the server does
 *   not start within 10 s
 *
 * @example
 * ```ts
 * const redis = await startRedisServer({ directory: '/tmp/isopod-redis', persistent: true })
 * await redis.stop()
 * ```
 */
export async function startRedisServer(options: RedisServerOptions): Promise<RedisServer> {
  const directory = resolve(options.directory)
  const socket = join(directory, 'redis.sock')
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH) {
    throw new Error(
      `directory: must be short enough for a socket path of ${MAX_SOCKET_PATH} bytes, got ${directory}`,
    )
  }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  // Two servers in one directory would write the same append-only file.
  if (await answersPing(socket)) throw new Error(`a Redis server runs in ${directory} already`)
  await rm(socket, { force: true })

  const logPath = join(directory, 'redis.log')
  const log = await open(logPath, 'a', 0o600)
  const child = spawn('redis-server', serverArguments(directory, socket, options.persistent ?? false), {
    cwd: directory,
    detached: options.detached ?? false,
    stdio: ['ignore', log.fd, log.fd],
  })
  const ended = new Promise<void>((done) => {
    child.once('exit', () => done())
    child.once('error', () => done())
  })
  try {
    await once(child, 'spawn').catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause
      throw new Error(
        'redis-server was not found; install it (on Debian: apt-get install redis-server) or set REDIS_URL to a server that runs',
        { cause },
      )
    })
    await untilReady(child, socket, logPath)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    await log.close()
  }
  if (options.detached) child.unref()

  let stopping: Promise<void> | undefined
  return {
    url: `redis+unix://${socket}`,
    pid: child.pid ?? 0,
    stop() {
      stopping ??= endProcess(child, ended)
      return stopping
    },
  }
}

function serverArguments(directory: string, socket: string, persistent: boolean): string[] {
  return [
    ...['--port', '0', '--unixsocket', socket, '--unixsocketperm', '700', '--dir', directory],
    ...['--daemonize', 'no', '--supervised', 'no', '--save', '', '--maxmemory-policy', 'noeviction'],
    ...['--appendonly', persistent ? 'yes' : 'no', '--appendfsync', 'everysec'],
  ]
}

async function untilReady(child: ChildProcess, socket: string, logPath: string): Promise<void> {
  const deadline = performance.now() + START_DEADLINE_MS
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      const tail = (await readFile(logPath, 'utf8').catch(() => '')).trim().split('\n').at(-1) ?? ''
      throw new Error(`redis-server ended before it was ready; the last line of its log: ${tail || 'none'}`)
    }
    if (await answersPing(socket)) return
    await sleep(15)
  }
  throw new Error(`redis-server did not answer PING on ${socket} within ${START_DEADLINE_MS / 1000} s`)
}

function answersPing(socket: string): Promise<boolean> {
  return new Promise((answer) => {
    const connection = createConnection(socket)
    const settle = (alive: boolean) => {
      connection.destroy()
      answer(alive)
    }
    connection.setTimeout(1000, () => settle(false))
    connection.once('error', () => settle(false))
    connection.once('connect', () => connection.write('PING\r\n'))
    // It answers -LOADING while it loads its append-only file.
    connection.once('data', (chunk) => settle(chunk.toString('latin1').startsWith('+PONG')))
    connection.once('close', () => answer(false))
  })
}

async function endProcess(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
  await ended
  clearTimeout(timer)
}

import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RedisServer, startRedisServer } from '../src/redis/redis-server.ts'

let directory: string
let servers: RedisServer[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isopod-redis-'))
  servers = []
})

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await rm(directory, { recursive: true, force: true })
})

async function start(options: { persistent?: boolean } = {}): Promise<RedisServer> {
  const server = await startRedisServer({ directory: join(directory, 'redis'), ...options })
  servers.push(server)
  return server
}

/** Sends inline commands and returns everything that the server answers until it closes the connection. */
function ask(url: string, ...commands: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = createConnection(url.replace('redis+unix://', ''))
    let answer = ''
    connection.on('data', (chunk) => {
      answer += chunk.toString()
    })
    connection.once('error', reject)
    connection.once('close', () => resolve(answer))
    connection.write([...commands, 'QUIT'].map((command) => `${command}\r\n`).join(''))
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('the private Redis listens on a socket that only its owner can open, and never evicts keys', async () => {
  const server = await start()
  expect(await ask(server.url, 'PING')).toContain('+PONG')
  expect(await ask(server.url, 'CONFIG GET maxmemory-policy')).toContain('noeviction')
  expect(await ask(server.url, 'CONFIG GET port')).toContain('$1\r\n0\r\n')
  expect((await stat(join(directory, 'redis'))).mode & 0o777).toBe(0o700)
  expect((await stat(server.url.replace('redis+unix://', ''))).mode & 0o777).toBe(0o700)
})

test('stopping ends the process, and stopping again changes nothing', async () => {
  const server = await start()
  expect(isAlive(server.pid)).toBe(true)
  await Promise.all([server.stop(), server.stop()])
  expect(isAlive(server.pid)).toBe(false)
  await server.stop()
})

test('a persistent server finds its data again after a kill and a restart in the same directory', async () => {
  const first = await start({ persistent: true })
  await ask(first.url, 'SET greeting hello', 'WAITAOF 0 0 0')
  process.kill(first.pid, 'SIGKILL')
  await first.stop()
  const second = await start({ persistent: true })
  expect(await ask(second.url, 'GET greeting')).toContain('hello')
})

test('a second server in the same directory is refused while the first one runs', async () => {
  const first = await start()
  await expect(start()).rejects.toThrow(/runs in .* already/)
  expect(await ask(first.url, 'PING')).toContain('+PONG')
})

test('a missing redis-server is one sentence with the command to run', async () => {
  const script = `
    const { startRedisServer } = await import(${JSON.stringify(new URL('../src/redis/redis-server.ts', import.meta.url).href)})
    await startRedisServer({ directory: process.argv[1] }).catch((error) => console.log(error.message))`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script, join(directory, 'none')],
    { env: { PATH: '/nonexistent' } },
  )
  expect(stdout).toMatch(/^redis-server was not found; install it .*REDIS_URL.*\n$/)
})

test('a path too long for a socket is refused by name', async () => {
  await expect(startRedisServer({ directory: join(directory, 'x'.repeat(120)) })).rejects.toThrow(
    /^directory: must be short enough/,
  )
})

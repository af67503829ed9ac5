import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { checkRedis, withoutPassword } from '../src/redis/redis-ping.ts'
import { startRedisServer } from '../src/redis/redis-server.ts'
import { tryCommand } from '../src/run-command.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

it('checkRedis reports no problem with a Redis that answers on a socket', async () => {
  const redis = await startRedisServer({ directory: await temporaryFolder() })
  onTestFinished(() => redis.stop())
  expect(await checkRedis(redis.url)).toBeUndefined()
  expect(await checkRedis(redis.url.replace('redis+unix://', ''))).toBeUndefined()
})

it('checkRedis uses the password of the URL, and distinguishes a wrong one from no answer', async () => {
  const redis = await startRedisServer({ directory: await temporaryFolder() })
  onTestFinished(() => redis.stop())
  const port = await listen(createServer())
  const socket = redis.url.replace('redis+unix://', '')
  const set = (...words: string[]) => tryCommand(['redis-cli', '-s', socket, 'config', 'set', ...words])
  expect((await set('port', String(port + 1))).stdout.trim()).toBe('OK')
  expect((await set('requirepass', 's3cret:/')).stdout.trim()).toBe('OK')
  const url = (password: string) => `redis://${password}127.0.0.1:${port + 1}/0`
  expect(await checkRedis(url(':s3cret%3A%2F@'))).toBeUndefined()
  expect(await checkRedis(url('default:s3cret%3A%2F@'))).toBeUndefined()
  expect(await checkRedis(url(''))).toMatch(/^refuses: NOAUTH/)
  expect(await checkRedis(url(':wrong@'))).toMatch(/^refuses: WRONGPASS/)
})

it('checkRedis reports that nothing listens', async () => {
  const server = createServer()
  const port = await listen(server)
  server.close()
  expect(await checkRedis(`redis://127.0.0.1:${port}`)).toBe('does not answer (ECONNREFUSED)')
  expect(await checkRedis('redis+unix:///nowhere/redis.sock')).toBe('does not answer (ENOENT)')
})

it('checkRedis does not wait for a server that is silent, hangs up or speaks another protocol', async () => {
  const silent = await listen(createServer(() => {}))
  expect(await checkRedis(`redis://127.0.0.1:${silent}`, 100)).toBe('does not answer within 0.1 s')
  const closing = await listen(createServer((socket) => socket.end()))
  expect(await checkRedis(`redis://127.0.0.1:${closing}`)).toMatch(/closed the connection|does not answer/)
  const talkative = await listen(createServer((socket) => socket.write('x'.repeat(2000))))
  expect(await checkRedis(`redis://127.0.0.1:${talkative}`)).toBe('is not a Redis')
})

it.each(['http://127.0.0.1', 'localhost:6379', '', 'redis:'])(
  'checkRedis refuses %j as a URL of a Redis',
  async (url) => {
    expect(await checkRedis(url, 200)).toBeDefined()
  },
)

it('withoutPassword hides the password of a URL', () => {
  expect(withoutPassword('redis://user:s3cret@host:6379/1')).toBe('redis://user:***@host:6379/1')
  expect(withoutPassword('rediss://:s3cret@host')).toBe('rediss://:***@host')
  expect(withoutPassword('redis://host:6379')).toBe('redis://host:6379')
})

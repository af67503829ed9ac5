import { once } from 'node:events'
import { connect as connectSocket, createServer } from 'node:net'
import { ConfigError, type JobInput, UnavailableError } from '@isopod/protocol'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { type ConnectOptions, connect } from '../src/index.ts'
import { echo, useBench } from './harness.ts'

const bench = useBench()

/** Makes the private Redis listen on a loopback port, because the URL of a socket cannot contain a login. */
async function usePort(): Promise<number> {
  const path = new URL(bench.url).pathname
  const server = createServer((near) => {
    const far = connectSocket({ path })
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}

async function useAdmin(): Promise<Redis> {
  const redis = new Redis({ path: new URL(bench.url).pathname })
  onTestFinished(() => redis.disconnect())
  await redis.ping()
  return redis
}

test('connect accepts a URL as its only argument', async () => {
  const client = await connect(bench.url)
  await client.close()
  const port = await usePort()
  const other = await connect(`redis://127.0.0.1:${port}/3`)
  await other.close()
})

test('a missing database is refused, and nothing is written to another one', async () => {
  const refused = connect(`${bench.url}?db=99`)
  await expect(refused).rejects.toThrow(
    /^url: Redis at redis\+unix:.*\?db=99 has no database 99; name one that it has in url or REDIS_URL/,
  )
  await expect(refused).rejects.toBeInstanceOf(ConfigError)
})

test('a wrong and a missing password have clear errors that do not show the password', async () => {
  const redis = await useAdmin()
  const port = await usePort()
  await redis.call('ACL', 'SETUSER', 'bob', 'on', '>right', 'allkeys', 'allchannels', 'allcommands')
  const client = await connect(`redis://bob:right@127.0.0.1:${port}`)
  await client.close()
  const wrong = await connect(`redis://bob:hunter2@127.0.0.1:${port}`).catch((thrown) => thrown)
  expect(wrong).toBeInstanceOf(ConfigError)
  expect(wrong.message).toBe(
    `url: Redis at redis://bob@127.0.0.1:${port} refuses this user and password; correct them in url or REDIS_URL`,
  )
  await redis.config('SET', 'requirepass', 'right')
  try {
    await expect(connect(`redis://:hunter2@127.0.0.1:${port}`)).rejects.toThrow(
      /refuses this user and password/,
    )
    await expect(connect(`redis://127.0.0.1:${port}`)).rejects.toThrow(
      /^url: Redis at .* asks for a password and was given none/,
    )
  } finally {
    await redis.config('SET', 'requirepass', '')
  }
})

test('an unknown option is refused with a suggestion or all options', async () => {
  const connects: [unknown, string][] = [
    [{ prefx: 'a' }, 'prefx: unknown option; did you mean "prefix"?'],
    [
      { host: 'a' },
      'host: unknown option; the options are url, prefix, allowEviction, resultTtlSeconds, onNoWorker',
    ],
    [7, 'options: must be an object, got number'],
    [null, 'options: must be an object, got null'],
  ]
  for (const [options, message] of connects) {
    const error = await connect(options as ConnectOptions).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.message).toBe(message)
  }
  const client = await bench.client()
  const signal = { signl: AbortSignal.timeout(1000) } as object
  await expect(client.run({ code: 'x' }, signal)).rejects.toThrow(
    'signl: unknown option; did you mean "signal"?',
  )
  await expect(client.wait('j-nope', signal)).rejects.toThrow(/^signl: unknown option/)
  expect(() => client.results(async () => {}, { reply: 'a' } as object)).toThrow(
    'reply: unknown option; did you mean "replyTo"?',
  )
  expect(() => client.batch({ samples: [], inflight: 3 } as { samples: [] })).toThrow(
    'inflight: unknown option; did you mean "inFlight"?',
  )
  expect(await bench.keys()).toEqual([])
})

test('every call of a closed client reports that it is closed', async () => {
  const client = await bench.client()
  await bench.worker(echo)
  const { id } = await client.run({ code: 'x' })
  await client.close()
  const job: JobInput = { code: 'x' }
  const calls = [
    () => client.submit(job),
    () => client.submitMany([job]),
    () => client.run(job),
    () => client.wait(id),
    () => client.result(id),
    () => client.state(id),
    () => client.cancel(id),
    () => client.events(id)[Symbol.asyncIterator]().next(),
    () => client.languages(),
    async () => client.results(async () => {}),
    async () => client.batch({ samples: [] }),
  ]
  for (const call of calls) {
    const error = await call().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UnavailableError)
    expect((error as Error).message).toBe('the client is closed; connect again')
  }
})

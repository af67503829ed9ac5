import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { hostRuns } from '../../../../test/support/host/processes.ts'
import { startWorld, type World } from '../../../../test/support/world.ts'
import { CLI_BIN, type HttpProcess, MCP_BIN, overHttp, overStdio, startHttpProcess } from './clients.ts'

let world: World
const environment = () => ({ REDIS_URL: world.redisUrl, ISOPOD_QUEUE_PREFIX: world.prefix })

beforeAll(async () => {
  // Its programs only sleep, so more of them can run at once than there are cores.
  world = await startWorld({ env: { ISOPOD_SLOTS: '8', ISOPOD_CPUS: '8', ISOPOD_POOL_SIZE: '2' } })
})

afterAll(async () => {
  await world?.close()
})

/** Timeout that allows several server processes to start at once. */
const START_MS = 40_000
let sleepers = 0

/** Arguments of a call whose program sleeps, and a wait until that program runs or has ended. */
function sleeper() {
  const seconds = `100.${process.pid}${++sleepers}`
  return {
    args: { language: 'bash', code: `sleep ${seconds}`, timeout: 200 },
    until: (runs: boolean) =>
      eventually(
        async () => hostRuns('sleep', seconds),
        (now) => now === runs,
        START_MS,
      ),
  }
}

/** A server process on raw pipes, with the lines that it has written. */
function rawServer(bin: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [...bin], {
    env: { ...process.env, ...environment(), ...env },
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const stderr: string[] = []
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString()))
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const send = (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`)
  const initialize = () => {
    const clientInfo = { name: 'spec', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }
  const call = (id: number, args: unknown) =>
    send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'execute_code', arguments: args } })
  return { child, lines, stderr, exited, send, initialize, call }
}

// promise: mcp-stdout
it.concurrent('isopod mcp writes only protocol messages to stdout, whatever is logged or printed', async () => {
  const server = rawServer([CLI_BIN, 'mcp'], { LOG_LEVEL: 'trace' })
  server.initialize()
  server.child.stdin.write('this is not JSON\n{"jsonrpc": "1.0"}\n')
  server.call(2, { language: 'python', code: 'print("{}\\n\\x1b[2J\\u202e")' })
  server.call(3, { language: 'python' })
  await eventually(
    async () => server.lines.length,
    (count) => count >= 3,
    START_MS,
  )
  server.child.stdin.end()
  expect(await server.exited).toBe(0)
  const messages = server.lines.map((line) => JSON.parse(line))
  expect(messages.map(({ jsonrpc, id }) => [jsonrpc, id]).sort()).toEqual([
    ['2.0', 1],
    ['2.0', 2],
    ['2.0', 3],
  ])
  const text = messages.find(({ id }) => id === 2).result.content[0].text
  expect(text).toContain('\\u202e')
  expect(server.stderr.join('')).toContain('"msg":"ready"')
})

// promise: mcp-shutdown
describe.concurrent.each([
  ['isopod-mcp', [MCP_BIN]],
  ['isopod mcp', [CLI_BIN, 'mcp']],
])('%s', (_, bin) => {
  it.each([
    ['SIGTERM', (child: ChildProcessWithoutNullStreams) => void child.kill('SIGTERM')],
    ['SIGINT', (child: ChildProcessWithoutNullStreams) => void child.kill('SIGINT')],
    ['SIGHUP', (child: ChildProcessWithoutNullStreams) => void child.kill('SIGHUP')],
    ['the end of stdin', (child: ChildProcessWithoutNullStreams) => void child.stdin.end()],
  ])('%s ends the server and the jobs that it waits for', async (__, end) => {
    const server = rawServer(bin)
    const { args, until } = sleeper()
    server.initialize()
    server.call(2, args)
    expect(await until(true)).toBe(true)
    end(server.child)
    expect(await server.exited).toBe(0)
    expect(await until(false)).toBe(false)
  })
})

// promise: mcp-no-redis
it.concurrent('isopod-mcp without Redis lists its tools, and calls end as setup_error with a sentence', async () => {
  const { client, close } = await overStdio({ REDIS_URL: 'redis://:secret@127.0.0.1:1' })
  try {
    expect((await client.listTools()).tools).toHaveLength(3)
    const answer = await client.callTool({
      name: 'execute_code',
      arguments: { language: 'python', code: 'x' },
    })
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: {
        status: 'setup_error',
        error_message: expect.stringMatching(/^Redis at redis:\/\/127\.0\.0\.1:1 is not available/),
      },
    })
    const listed = await client.callTool({ name: 'list_languages', arguments: {} })
    expect(listed).toMatchObject({ isError: true })
    expect(JSON.stringify([answer, listed])).not.toMatch(/secret|\.[jt]s:\d|\bat \w+ \(/)
  } finally {
    await close()
  }
})

it.concurrent('isopod-mcp cancels a job that no worker takes in time, and the answer says so', async () => {
  const { client, close } = await overStdio({
    ...environment(),
    ISOPOD_QUEUE_PREFIX: `${world.prefix}-none`,
    ISOPOD_MCP_WAIT_SECONDS: '1',
  })
  try {
    const answer = await client.callTool({
      name: 'execute_code',
      arguments: { language: 'python', code: 'x' },
    })
    expect(answer.structuredContent).toMatchObject({
      status: 'setup_error',
      error_message: 'No result within 1 s: no worker took the job, so it was cancelled',
    })
  } finally {
    await close()
  }
})

// promise: mcp-http-guard
describe.concurrent('the HTTP server', () => {
  let server: HttpProcess

  beforeAll(async () => {
    server = await startHttpProcess({ ...environment(), ISOPOD_MCP_MAX_MESSAGE_MB: '1' })
  })

  afterAll(async () => {
    expect(await server?.stop()).toBe(0)
  })

  const INITIALIZE = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'spec', version: '1' } },
  })
  const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

  function post(body: string | Buffer, headers: Record<string, string> = {}, path = '/mcp', method = 'POST') {
    return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sent = request(
        new URL(path, server.url),
        { method, headers: { ...HEADERS, ...headers } },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('end', () =>
            resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() }),
          )
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }

  it.each([
    ['a rebound name', { host: 'evil.example' }, 403],
    ['a page of another site', { origin: 'https://evil.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['its own name', { host: 'localhost:1', origin: 'http://localhost:3000' }, 200],
    ['IPv6 loopback', { host: '[::1]:8008' }, 200],
    ['another type', { 'content-type': 'text/plain' }, 415],
    ['a session that is not there', { 'mcp-session-id': 'no-such' }, 404],
  ])('answers %s', async (__, headers, status) => {
    expect(await post(INITIALIZE, headers)).toMatchObject({ status })
  })

  it.each([
    ['too large', `"${'x'.repeat(2 ** 20)}"`, 413, /at most 1048576 bytes/],
    ['far too large', Buffer.alloc(16 * 2 ** 20, ' '), 413, /at most 1048576 bytes/],
    ['too deep', `${'['.repeat(100_000)}`, 400, /nested at most 64 deep/],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, /UTF-8/],
    ['no JSON', '{', 400, /must be JSON/],
    ['no message', '{}', 400, /initialize first/],
  ])('refuses a body that is %s', async (__, body, status, message) => {
    expect(await post(body)).toMatchObject({ status, text: expect.stringMatching(message) })
  })

  it('fails to start on a port that is taken and names it', async () => {
    const second = rawServer([MCP_BIN, '--http', server.url.port])
    expect(await second.exited).toBe(3)
    expect(second.stderr.join('')).toMatch(/--http: cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\)/)
  })

  it('closes an idle session', async () => {
    const brief = await startHttpProcess({ ...environment(), ISOPOD_MCP_SESSION_IDLE_SECONDS: '1' })
    const ask = (body: string, headers = {}) =>
      fetch(brief.url, { method: 'POST', headers: { ...HEADERS, ...headers }, body })
    try {
      const id = (await ask(INITIALIZE)).headers.get('mcp-session-id') ?? ''
      const list = () => ask('{"jsonrpc":"2.0","id":2,"method":"tools/list"}', { 'mcp-session-id': id })
      const first = await list()
      expect(first.status).toBe(200)
      await first.text()
      // Each request keeps the session alive, so the next one comes only after the idle time.
      await new Promise((resolve) => setTimeout(resolve, 2500))
      expect((await list()).status).toBe(404)
    } finally {
      await brief.stop()
    }
  })

  it('serves no path except /mcp', async () => {
    expect(await post('', {}, '/')).toMatchObject({ status: 404 })
    expect(await post('', {}, '/mcp', 'OPTIONS')).toMatchObject({ status: 405 })
  })

  it('ends the jobs of a session that ends, and no jobs of other sessions', async () => {
    const [ending, other] = [await overHttp(server.url), await overHttp(server.url)]
    const { args, until } = sleeper()
    const endless = ending.client.callTool({ name: 'execute_code', arguments: args })
    endless.catch(() => {})
    const sleep = { language: 'bash', code: 'sleep 2; echo slept' }
    const sleeping = other.client.callTool({ name: 'execute_code', arguments: sleep })
    expect(await until(true)).toBe(true)
    await ending.close()
    expect(await until(false)).toBe(false)
    expect((await sleeping).structuredContent).toMatchObject({ stdout: 'slept\n' })
    await other.close()
  })
})

describe.concurrent('isopod-mcp with wrong options', () => {
  it.each([
    [
      '0.0.0.0:0',
      {},
      2,
      /^isopod-mcp: --http: must be a loopback address, got 0\.0\.0\.0: this server has no keys/,
    ],
    ['[::]:0', {}, 2, /must be a loopback address/],
    ['8008x', {}, 2, /--http: must be \[host:\]port/],
    [
      '0',
      { ISOPOD_MCP_WAIT_SECOND: '5' },
      3,
      /ISOPOD_MCP_WAIT_SECOND: unknown setting; did you mean ISOPOD_MCP_WAIT_SECONDS\?/,
    ],
    [
      '0',
      { ISOPOD_MCP_WAIT_SECONDS: '0' },
      3,
      /ISOPOD_MCP_WAIT_SECONDS: must be a whole number from 1 to 86400, got "0"/,
    ],
  ])('--http %s %o ends with %i and says why', async (address, env, exitCode, sentence) => {
    const server = rawServer([MCP_BIN, '--http', address], env)
    expect(await server.exited).toBe(exitCode)
    expect(server.stderr.join('')).toMatch(sentence)
    expect(server.lines).toEqual([])
  })

  it('listens on all addresses if the operator allows it', async () => {
    const server = rawServer([MCP_BIN, '--http', '0.0.0.0:0'], {
      ISOPOD_MCP_ALLOW_REMOTE_WITHOUT_KEYS: 'true',
    })
    await eventually(
      async () => server.stderr.join(''),
      (text) => text.includes('"msg":"ready"'),
      START_MS,
    )
    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  })
})

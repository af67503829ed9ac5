import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

export const MCP_BIN = fileURLToPath(new URL('../../bin/isopod-mcp.js', import.meta.url))
export const CLI_BIN = fileURLToPath(new URL('../../../cli/bin/isopod.js', import.meta.url))

/** A connected client of the MCP SDK; `close` also ends its session or its server. */
export interface Connected {
  readonly client: Client
  close(): Promise<void>
}

type Env = Readonly<Record<string, string>>

function plain(env: Env): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env }
}

async function connected(transport: Transport, endSession: () => Promise<void>): Promise<Connected> {
  const client = new Client({ name: 'spec', version: '1.0.0' })
  await client.connect(transport)
  return {
    client,
    close: async () => {
      await endSession()
      await client.close()
    },
  }
}

/** A client that starts its server as a child process on stdio. */
export function overStdio(env: Env): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MCP_BIN],
    env: plain(env),
    stderr: 'ignore',
  })
  return connected(transport, async () => {})
}

/** A server that listens on a free port of loopback. */
export interface HttpProcess {
  readonly url: URL
  readonly pid: number
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
}

/** Starts `isopod-mcp --http 0`. */
export async function startHttpProcess(env: Env, ...args: string[]): Promise<HttpProcess> {
  const child = spawn(process.execPath, [MCP_BIN, '--http', '0', ...args], {
    env: plain(env),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('"msg":"ready"')) resolve(String(JSON.parse(line).url))
    })
    void exited.then((code) => reject(new Error(`the server ended with ${code}`)))
  })
  return {
    url: new URL(url),
    pid: child.pid ?? 0,
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
  }
}

/** A client of a running HTTP server. */
export function overHttp(url: URL): Promise<Connected> {
  const transport = new StreamableHTTPClientTransport(url)
  // The SDK's own class does not fit its own interface under `exactOptionalPropertyTypes`.
  return connected(transport as Transport, () => transport.terminateSession())
}

/** A client with its own HTTP server. */
export async function overOwnHttp(env: Env): Promise<Connected> {
  const server = await startHttpProcess(env)
  const { client, close } = await overHttp(server.url)
  return {
    client,
    close: async () => {
      await close()
      await server.stop()
    },
  }
}

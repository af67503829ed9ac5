import { Console } from 'node:console'
import { connect } from '@isopod/client'
import { VERSION } from '@isopod/protocol'
import {
  type Component,
  describeFailure,
  type HttpAddress,
  isLoopback,
  Lifecycle,
  onStopSignal,
  runService,
  serviceLogger,
  UsageError,
} from '@isopod/service-kit'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { Calls } from './calls.ts'
import { HELP, readCommandLine } from './command-line.ts'
import { type McpConfig, readMcpConfig } from './config.ts'
import { type HttpServer, startHttpServer } from './http/http-server.ts'
import { Sessions } from './http/sessions.ts'
import { createMcpServer, type McpServerParts } from './mcp-server.ts'
import { LazyConnection } from './tool-client.ts'
import { executeCodeTool } from './tools/execute-code.ts'
import { gradeCodeTool } from './tools/grade-code.ts'
import { listLanguagesTool } from './tools/list-languages.ts'

/** How long a shutdown may take, in milliseconds: clients that speak stdio wait 4 s and kill then. */
const STOP_DEADLINE_MS = 3500

// stdout is the protocol: a library that prints would break it.
globalThis.console = new Console(process.stderr, process.stderr)

/** Joins the parts of the server and runs it until its client, or a signal, ends it. */
async function main(): Promise<void> {
  const options = readCommandLine(process.argv.slice(2))
  if (options.show !== undefined) {
    process.stdout.write(options.show === 'help' ? HELP : `${VERSION}\n`)
    return
  }
  const config = readMcpConfig(process.env)
  const logger = serviceLogger({ name: 'isopod-mcp', level: config.logLevel, destination: 'stderr' })
  const jobs = { tenant: config.tenant, waitSeconds: config.waitSeconds }
  const calls = new Calls(config.maxCalls)
  const connection = new LazyConnection(() => connect(config.queue))
  const parts = {
    tools: [executeCodeTool(jobs), listLanguagesTool(), gradeCodeTool(jobs)],
    connection,
    calls,
    logger,
  }
  const end = async (why: string) => process.exit((await life.stop(why)) ? 0 : 1)
  const life = new Lifecycle(
    [
      { name: 'connection', stop: () => connection.close() },
      // Ending their transport cancels the calls; each cancels its job.
      { name: 'calls', stop: () => calls.settled() },
      ...(options.http === undefined
        ? [stdioTransport(parts, config, end)]
        : httpTransport(parts, config, options.http)),
    ],
    { stopMs: STOP_DEADLINE_MS, logger },
  )
  // Before the start: a process manager may send a signal as soon as it reads the log line `ready`.
  onStopSignal((signal) => life.stop(signal))
  // A closing terminal sends SIGHUP.
  process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'))
  await life.start()
}

/** One client on stdin and stdout; the process ends when either does. */
function stdioTransport(
  parts: McpServerParts,
  { maxMessageBytes }: McpConfig,
  end: (why: string) => Promise<void>,
): Component {
  const server = createMcpServer(parts)
  return {
    name: 'stdio',
    start: async () => {
      process.stdin.once('end', () => end('the client closed stdin'))
      process.stdout.once('error', () => end('the client closed stdout'))
      server.onclose = () => end('the connection was closed')
      await server.connect(
        new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: maxMessageBytes }),
      )
      parts.logger.info({ transport: 'stdio' }, 'ready')
    },
    stop: () => server.close(),
  }
}

/** Many clients over HTTP, each with a session. */
function httpTransport(
  parts: McpServerParts,
  { http, maxMessageBytes }: McpConfig,
  address: HttpAddress,
): Component[] {
  // This server has no API keys.
  if (!isLoopback(address.host) && !http.allowRemote) {
    throw new UsageError(
      `--http: must be a loopback address, got ${address.host}: this server has no keys, so anyone who reaches it can run code; ISOPOD_MCP_ALLOW_REMOTE_WITHOUT_KEYS=true allows it`,
    )
  }
  const { logger } = parts
  const { allowedHosts, sessionIdleSeconds: idleSeconds } = http
  const sessions = new Sessions({ createServer: () => createMcpServer(parts), idleSeconds })
  let server: HttpServer | undefined
  return [
    {
      name: 'http',
      start: async () => {
        server = await startHttpServer({ ...address, allowedHosts, maxMessageBytes, sessions, logger })
        logger.info({ transport: 'http', url: server.url }, 'ready')
      },
      stop: () => server?.close(),
    },
    { name: 'sessions', stop: () => sessions.close() },
  ]
}

runService('isopod-mcp', main, (error) => describeFailure(error).exitCode)

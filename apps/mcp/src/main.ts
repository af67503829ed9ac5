import { Console } from 'node:console'
import { connect } from '@isopod/client'
import { publicMessageOf, VERSION } from '@isopod/protocol'
import { describeFailure, onStopSignal, type ShutdownStep, shutDown } from '@isopod/service-kit'
import { createLogger, SafeError } from '@isopod/telemetry'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { Calls } from './calls.ts'
import { HELP, readCommandLine } from './command-line.ts'
import { type McpConfig, readConfig } from './config.ts'
import { type HttpAddress, refuseRemote } from './http/address.ts'
import { startHttpServer } from './http/http-server.ts'
import { Sessions } from './http/sessions.ts'
import { LazyConnection } from './job-client.ts'
import { createMcpServer, type McpServerParts } from './mcp-server.ts'
import { executeCode } from './tools/execute-code.ts'
import { gradeCode } from './tools/grade-code.ts'
import { listLanguages } from './tools/list-languages.ts'

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
  const config = readConfig(process.env)
  const logger = createLogger({
    name: 'isopod-mcp',
    level: config.logLevel,
    destination: 'stderr',
    publicMessage: publicMessageOf,
  })
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'a bug ended the server')
    process.exit(1)
  })
  const jobs = { tenant: config.tenant, waitSeconds: config.waitSeconds }
  const parts: McpServerParts = {
    tools: [executeCode(jobs), listLanguages(), gradeCode(jobs)],
    connection: new LazyConnection(() => connect(config.queue)),
    calls: new Calls(config.maxCalls),
    logger,
  }
  const closeTransport =
    options.http === undefined
      ? await serveStdio(parts, config)
      : await serveHttp(parts, config, options.http)
  // A terminal that closes sends this one.
  process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'))
  onStopSignal((signal) => stop(closeTransport, parts, `stopped by ${signal}`))
}

/** Serves one client on stdin and stdout; the process ends when either does. */
async function serveStdio(parts: McpServerParts, { maxMessageBytes }: McpConfig): Promise<ShutdownStep[]> {
  const server = createMcpServer(parts)
  const close = [{ name: 'transport', run: () => server.close() }]
  const end = async (why: string) => process.exit((await stop(close, parts, why)) ? 0 : 1)
  process.stdin.once('end', () => end('the client closed stdin'))
  process.stdout.once('error', () => end('the client closed stdout'))
  server.onclose = () => end('the connection was closed')
  await server.connect(
    new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: maxMessageBytes }),
  )
  parts.logger.info({ transport: 'stdio' }, 'ready')
  return close
}

async function serveHttp(
  parts: McpServerParts,
  { http, maxMessageBytes }: McpConfig,
  address: HttpAddress,
): Promise<ShutdownStep[]> {
  refuseRemote(address, http.allowRemote)
  const { logger } = parts
  const sessions = new Sessions({
    createServer: () => createMcpServer(parts),
    idleSeconds: http.sessionIdleSeconds,
  })
  const server = await startHttpServer({
    ...address,
    allowedHosts: http.allowedHosts,
    maxMessageBytes,
    sessions,
    logger,
  })
  logger.info({ transport: 'http', url: server.url }, 'ready')
  return [
    { name: 'sessions', run: () => sessions.close() },
    { name: 'http', run: () => server.close() },
  ]
}

let stopping: Promise<boolean> | undefined

/** Ends the calls, waits until their jobs are cancelled, and disconnects. A second call gets the same promise. */
function stop(closeTransport: readonly ShutdownStep[], parts: McpServerParts, why: string): Promise<boolean> {
  const { calls, connection, logger } = parts
  // Not at once: closing the transport calls this again, which must find the promise.
  stopping ??= Promise.resolve().then(() => {
    logger.info({ why }, 'stopping')
    const steps = [
      ...closeTransport,
      { name: 'calls', run: () => calls.settled() },
      { name: 'connection', run: () => connection.close() },
    ]
    return shutDown(steps, STOP_DEADLINE_MS, logger)
  })
  return stopping
}

main().catch((error: unknown) => {
  // What the operator can mend is one sentence; anything else is a bug and shows where it is, without what it quotes.
  console.error(`isopod-mcp: ${publicMessageOf(error) ?? JSON.stringify(new SafeError(error))}`)
  process.exit(describeFailure(error).exitCode)
})

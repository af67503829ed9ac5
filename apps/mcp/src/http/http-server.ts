import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UnavailableError } from '@isopod/protocol'
import type { HttpAddress } from '@isopod/service-kit'
import type { Logger } from '@isopod/telemetry'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import { BodyRefused, readBody } from './read-body.ts'
import { RebindingGuard } from './rebinding-guard.ts'
import type { Session, Sessions } from './sessions.ts'

const PATH = '/mcp'
/** Timeout for receiving a request, in milliseconds, so that slow senders do not hold connections. */
const REQUEST_TIMEOUT_MS = 30_000

/** Options of {@link startHttpServer}. */
export interface HttpServerOptions extends HttpAddress {
  /** Host names that clients may use, besides those of loopback and `host`. */
  readonly allowedHosts: readonly string[]
  readonly maxMessageBytes: number
  readonly sessions: Sessions
  readonly logger: Logger
}

/** A listening server. */
export interface HttpServer {
  /** URL for clients. */
  readonly url: string
  /** Stops listening and ends all connections. */
  close(): Promise<void>
}

/**
 * Starts the streamable HTTP transport on `/mcp`.
 *
 * @throws {UnavailableError} if it cannot listen on the address
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, logger } = options
  const shownHost = host.includes(':') ? `[${host}]` : host
  const guard = new RebindingGuard([...options.allowedHosts, shownHost])
  const server = createServer((request, response) => {
    answerRequest(request, response, guard, options).catch((err: unknown) => {
      logger.error({ err }, 'a bug ended the request')
      refuse(response, 500, 'The server failed; see its log')
    })
  })
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.listen(port, host)
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    throw new UnavailableError(`--http: cannot listen on ${shownHost}:${port} (${cause.code})`, { cause })
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${shownHost}:${bound}${PATH}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  guard: RebindingGuard,
  { sessions, maxMessageBytes }: HttpServerOptions,
): Promise<void> {
  const forbidden = guard.problem(request.headers)
  if (forbidden !== undefined) return refuse(response, 403, forbidden)
  if (URL.parse(request.url ?? '', 'http://localhost')?.pathname !== PATH) {
    return refuse(response, 404, `Path: must be ${PATH}`)
  }
  const { method = '' } = request
  if (!['POST', 'GET', 'DELETE'].includes(method)) {
    return refuse(response, 405, 'Method: must be POST, GET or DELETE', { allow: 'POST, GET, DELETE' })
  }
  let body: unknown
  try {
    if (method === 'POST') body = await readBody(request, maxMessageBytes)
  } catch (error) {
    if (error instanceof BodyRefused) return refuse(response, error.status, error.message)
    // The client disconnected.
    return void response.destroy()
  }
  const id = request.headers['mcp-session-id']
  if (id === undefined && !isInitializeRequest(body)) {
    return refuse(response, 400, 'Mcp-Session-Id: is required; initialize first')
  }
  const session = await sessionOf(id, sessions)
  if (session === 'full') {
    return refuse(response, 503, 'All sessions are in use; try again later', { 'retry-after': '5' })
  }
  if (session === undefined) return refuse(response, 404, 'Mcp-Session-Id: no such session; initialize again')
  sessions.use(session, response)
  await session.transport.handleRequest(request, response, body)
}

async function sessionOf(
  id: string | string[] | undefined,
  sessions: Sessions,
): Promise<Session | 'full' | undefined> {
  if (id === undefined) return (await sessions.open()) ?? 'full'
  return sessions.get(String(id))
}

/** Responds like the transport: with a JSON-RPC error that belongs to no request. */
function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) return void response.destroy()
  // Node discards the rest of a refused body, within the request timeout.
  response.writeHead(status, { ...headers, 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }))
}

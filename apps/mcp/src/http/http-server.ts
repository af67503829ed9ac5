import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UnavailableError } from '@isopod/protocol'
import type { Logger } from '@isopod/telemetry'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import type { HttpAddress } from './address.ts'
import { BodyRefused, readBody } from './read-body.ts'
import { RebindingGuard } from './rebinding-guard.ts'
import type { Session, Sessions } from './sessions.ts'

const PATH = '/mcp'
/** How long a request may take to arrive, in milliseconds: a slow sender holds a connection no longer. */
const REQUEST_TIMEOUT_MS = 30_000

/** What {@link startHttpServer} needs. */
export interface HttpServerOptions extends HttpAddress {
  /** Names by which clients may address this server, beside those of loopback and `host`. */
  readonly allowedHosts: readonly string[]
  readonly maxMessageBytes: number
  readonly sessions: Sessions
  readonly logger: Logger
}

/** A server that listens. */
export interface HttpServer {
  /** Where clients connect. */
  readonly url: string
  /** Stops listening and ends all connections. */
  close(): Promise<void>
}

/**
 * Starts the streamable HTTP transport on `/mcp`.
 *
 * @throws {UnavailableError} if the address cannot be listened on
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, logger } = options
  const shownHost = host.includes(':') ? `[${host}]` : host
  const guard = new RebindingGuard([...options.allowedHosts, shownHost])
  const server = createServer((request, response) => {
    answerRequest(request, response, guard, options).catch((err: unknown) => {
      logger.error({ err }, 'a bug ended the request')
      refuse(response, 500, 'The server failed; its log says where')
    })
  })
  server.requestTimeout = REQUEST_TIMEOUT_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(new UnavailableError(`--http: cannot listen on ${shownHost}:${port} (${cause.code})`, { cause }))
    })
    server.listen(port, host, resolve)
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
    return refuse(response, 404, `There is nothing but ${PATH}`)
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
    // The client went away in the middle of it.
    return void response.destroy()
  }
  const id = request.headers['mcp-session-id']
  if (id === undefined && !isInitializeRequest(body)) {
    return refuse(response, 400, 'Mcp-Session-Id: is needed; initialize first')
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

/** Answers as the transport does: an error of JSON-RPC that belongs to no request. */
function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) return void response.destroy()
  // What is left of a refused body is discarded by Node, for as long as a request may take to arrive.
  response.writeHead(status, { ...headers, 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }))
}

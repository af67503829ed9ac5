import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { MetricsExposition } from '@isopod/telemetry'
import { healthAnswer, type Readiness } from './health-routes.ts'

export type { Readiness } from './health-routes.ts'

/** Options of {@link startHealthServer}. */
export interface HealthServerOptions {
  /** Address to listen on, for example `127.0.0.1`. */
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  readonly metrics: Pick<MetricsExposition, 'render' | 'contentType'>
  /** Called for each `/readyz`. A rejection, or more than 3 s, means "not ready". */
  readonly ready: () => Promise<Readiness>
}

/** A running health server. */
export interface HealthServer {
  /** The port it listens on. */
  readonly port: number
  /** Stops the server; running requests have a second to end. A second call gets the same promise. */
  close(): Promise<void>
}

/** Timeout of running requests when the server closes, in milliseconds. */
const CLOSE_GRACE_MS = 1_000

/**
 * Serves `/metrics` for Prometheus, `/healthz` (the process is alive) and `/readyz` (200, or 503 with the reasons).
 *
 * @throws {Error} naming host and port if it cannot listen on them
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { host, port, metrics, ready } = options
  const server = createServer(
    {
      headersTimeout: 5_000,
      requestTimeout: 5_000,
      keepAliveTimeout: 5_000,
      // Silent connections must not block others.
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 8_192,
    },
    async (request, response) => {
      const path = (request.url ?? '').split('?', 1)[0] ?? ''
      // Bodies are never read; closing the connection discards them.
      const hasBody =
        request.headers['transfer-encoding'] !== undefined ||
        Number(request.headers['content-length'] ?? 0) > 0
      const { status, type, body } = hasBody
        ? { status: 413, type: 'text/plain; charset=utf-8', body: 'no request bodies\n' }
        : await healthAnswer(request.method ?? '', path, metrics, ready)
      response.writeHead(status, {
        'content-type': type,
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
        ...(hasBody ? { connection: 'close' } : {}),
      })
      response.end(request.method === 'HEAD' ? undefined : body)
    },
  )
  server.maxConnections = 100
  await listen(server, host, port)
  const address = server.address()
  let closing: Promise<void> | undefined
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () => {
      closing ??= closeServer(server)
      return closing
    },
  }
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`health server: cannot listen on ${host}, port ${port} (${reason})`, { cause })
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS)
  await closed
  clearTimeout(timer)
}

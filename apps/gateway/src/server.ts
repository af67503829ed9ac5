import { healthAnswer, type Readiness } from '@isopod/service-kit'
import type { GatewayParts } from './gateway-parts.ts'
import { createHttp, type Http } from './http/create-http.ts'
import { serveDocument } from './http/document.ts'
import { collectPaths } from './http/other-methods.ts'
import { batchRoutes } from './routes/batches.ts'
import { boardRoutes } from './routes/board/board-routes.ts'
import { dropInRoutes } from './routes/drop-in/drop-in-routes.ts'
import { eventRoutes } from './routes/events.ts'
import { executeRoutes } from './routes/execute.ts'
import { executionRoutes } from './routes/executions.ts'
import { outputRoutes } from './routes/outputs.ts'
import { pageRoutes } from './routes/page.ts'
import { queueRoutes } from './routes/queue.ts'
import { queuedRoutes } from './routes/queued.ts'
import { submitRoutes } from './routes/submit.ts'
import { describeWebhook } from './webhooks/webhook-content.ts'

/** Methods whose bodies are read only after authentication. */
const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Makes the HTTP server with all of its routes; it does not listen yet. */
export async function createServer(parts: GatewayParts): Promise<Http> {
  const http = createHttp(parts)
  const answerOtherMethods = collectPaths(http)
  http.addHook('preParsing', async ({ method, is404, token }) => {
    // Otherwise anyone could have it read and parse large bodies.
    if (BODY_METHODS.has(method) && !is404) await parts.callers.authenticate(token)
  })
  await serveDocument(http, describeWebhook())
  await http.register(async (routes) => {
    executeRoutes(routes as Http, parts)
    submitRoutes(routes as Http, parts)
    executionRoutes(routes as Http, parts)
    outputRoutes(routes as Http, parts)
    eventRoutes(routes as Http, parts)
    batchRoutes(routes as Http, parts)
    queueRoutes(routes as Http, parts)
    queuedRoutes(routes as Http, parts)
    healthRoutes(routes as Http, parts)
    dropInRoutes(routes as Http, parts)
  })
  await http.register((routes) => pageRoutes(routes as Http, parts))
  await http.register((routes) => boardRoutes(routes as Http, parts))
  await http.register(async () => answerOtherMethods())
  await http.ready()
  return http
}

/** `/healthz`, `/readyz` and `/metrics`. Metrics are for admins once keys exist. */
function healthRoutes(http: Http, { metrics, client, callers }: GatewayParts): void {
  const ready = async (): Promise<Readiness> => {
    try {
      await client.queue()
      return { ok: true, checks: { redis: 'ok' } }
    } catch {
      // The error names the host, and callers without a key can read this.
      return { ok: false, checks: { redis: 'does not answer' } }
    }
  }
  for (const url of ['/healthz', '/readyz', '/metrics']) {
    http.get(url, { schema: { hide: true } }, async (request, reply) => {
      if (url === '/metrics') await callers.identify(request.token, 'admin')
      const { status, type, body } = await healthAnswer('GET', url, metrics, ready)
      return reply.code(status).type(type).send(body)
    })
  }
}

import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import type { Logger, MetricHandles, MetricsExposition } from '@isopod/telemetry'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { GatewayConfig } from '../config.ts'
import type { GATEWAY_METRICS } from '../gateway-metrics.ts'
import { answerClientError } from './client-error.ts'
import { parseJsonBody } from './json-body.ts'
import { checkOrigin } from './origin.ts'
import { PresentedKey } from './presented-key.ts'
import { problemBody, type Refusal, RequestRefused, refusalOf, stoppingRefusal } from './problem.ts'
import { closeWhenStalled } from './stalled.ts'
import { validatorCompiler } from './validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The API key that the request presents. */
    token: PresentedKey | undefined
    /** Arrival of the request, by the monotonic clock. */
    startedAt: number
  }

  interface FastifyContextConfig {
    /** The route accepts an API key as the password of HTTP Basic, which browsers ask for. */
    takesBasic?: boolean
    /** The route also accepts `multipart/form-data`. */
    multipart?: true
  }
}

/** The server, typed for zod schemas. */
export type Http = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

/** Dependencies of {@link createHttp}. */
export interface HttpParts {
  readonly config: GatewayConfig
  readonly logger: Logger
  readonly metrics: MetricHandles<typeof GATEWAY_METRICS> & MetricsExposition
}

/** Refusals that the metrics count. */
const COUNTED = [
  'unauthorized',
  'forbidden',
  'rate_limited',
  'budget_exceeded',
  'queue_full',
  'storage_full',
] as const
/** Timeouts for receiving a request and its headers. */
const REQUEST_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 10_000
/** How often Node checks these timeouts. */
const CHECK_MS = 2_000

/** Creates the server without routes: parsing, refusals, request ids, headers and metrics. */
export function createHttp({ config, logger, metrics }: HttpParts): Http {
  const http = fastify({
    logger: false,
    bodyLimit: config.bodyBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CHECK_MS },
    keepAliveTimeout: 72_000,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 256, ignoreTrailingSlash: true },
    // Requests that arrive during a shutdown get a problem document, like all refusals.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      setHeaders(reply, request)
      sendProblem(reply, request, refusalOf(error))
    },
  }).withTypeProvider<ZodTypeProvider>()
  http.setValidatorCompiler(validatorCompiler)
  // Responses are built from validated results; validating them again would only cost time.
  http.setSerializerCompiler(() => (value) => JSON.stringify(value))
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
    parseJsonBody(body),
  )
  http.decorateRequest('token', undefined)
  http.decorateRequest('startedAt', 0)
  if (config.corsOrigins.length > 0) {
    void http.register(cors, {
      origin: [...config.corsOrigins],
      methods: ['GET', 'HEAD', 'POST', 'DELETE'],
      exposedHeaders: ['allow', 'location', 'retry-after', 'x-request-id'],
      // Any OPTIONS request gets to its route, which answers with `Allow`.
      strictPreflight: false,
      preflightContinue: true,
    })
  }

  let isStopping = false
  http.addHook('preClose', async () => {
    isStopping = true
  })
  http.addHook('onRequest', async (request, reply) => {
    request.startedAt = performance.now()
    metrics.requestsInFlight.inc({})
    setHeaders(reply, request)
    if (isStopping) throw stoppingRefusal()
    checkOrigin(request, config)
    checkEncoding(request)
    request.token = tokenOf(request)
  })
  http.addHook('onSend', async (_, reply) => closeWhenStalled(reply.raw))
  http.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    metrics.requestsInFlight.dec({})
    metrics.requests.inc({ route, status: statusClass(reply.statusCode) })
    metrics.requestSeconds.observe({ route }, (performance.now() - request.startedAt) / 1000)
    // Node closes connections that are idle when it stops, but not those that become idle later.
    if (isStopping) setImmediate(() => http.server.closeIdleConnections())
  })
  answerRefusals(http, { logger, metrics }, sendProblem)
  http.setNotFoundHandler((request, reply) => {
    const { method, url } = request
    if (!http.supportedMethods.includes(method)) {
      const detail = `No path has the method ${method}; see /docs.`
      return sendProblem(reply, request, { status: 501, code: 'method_unknown', detail })
    }
    const detail = `There is no path ${url.split('?', 1)[0]}; see /docs.`
    return sendProblem(reply, request, { status: 404, code: 'not_found', detail })
  })
  return http
}

/** Sends a refusal in the form of the API that was called. */
type SendRefusal = (reply: FastifyReply, request: FastifyRequest, refusal: Refusal) => FastifyReply

/** Turns errors that the routes of a scope throw into refusals, counts and sends them, and logs bugs. */
export function answerRefusals(
  http: Http,
  { logger, metrics }: Pick<HttpParts, 'logger' | 'metrics'>,
  send: SendRefusal,
): void {
  http.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error)
    if (refusal.status === 500) {
      logger.error({ err: error, route: request.routeOptions.url, requestId: request.id }, 'a request failed')
    }
    const reason = COUNTED.find((one) => one === refusal.code)
    if (reason !== undefined) metrics.refusals.inc({ reason })
    if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds)
    if (refusal.status === 401) reply.header('www-authenticate', 'Bearer')
    return send(reply, request, refusal)
  })
}

/** Sets the headers of every response. */
function setHeaders(reply: FastifyReply, request: FastifyRequest): void {
  reply.headers({
    'x-request-id': request.id,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
}

/** Sends a refusal as a problem document. */
export function sendProblem(reply: FastifyReply, request: FastifyRequest, refusal: Refusal): FastifyReply {
  return reply
    .code(refusal.status)
    .type('application/problem+json')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(problemBody(refusal, request.id))
}

/** Refuses compressed bodies, which can be huge when decompressed. @throws {RequestRefused} 415 */
function checkEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return
  const detail = 'Content-Encoding: must be left out; the gateway reads no compressed bodies.'
  throw new RequestRefused({ status: 415, code: 'invalid_request', detail })
}

/** @throws {RequestRefused} 401 for an `Authorization` header that is not supported */
function tokenOf({ headers, routeOptions }: FastifyRequest): PresentedKey | undefined {
  const own = headers['x-api-key']
  if (typeof own === 'string') return new PresentedKey(own)
  const { authorization } = headers
  if (authorization === undefined) return undefined
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? []
  if (token !== undefined) return new PresentedKey(token)
  const [, basic] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization) ?? []
  if (basic !== undefined) {
    // A browser that knows a password of this host may send it with every request, so other routes ignore it.
    if (!routeOptions.config?.takesBasic) return undefined
    const [, password] = /^[^:]*:(.+)$/s.exec(Buffer.from(basic, 'base64').toString('utf8')) ?? []
    return password === undefined ? undefined : new PresentedKey(password)
  }
  const detail = 'Authorization: must be "Bearer" and an API key, separated by a space.'
  throw new RequestRefused({ status: 401, code: 'unauthorized', detail })
}

function statusClass(status: number): '2xx' | '3xx' | '4xx' | '5xx' {
  if (status < 300) return '2xx'
  if (status < 400) return '3xx'
  return status < 500 ? '4xx' : '5xx'
}

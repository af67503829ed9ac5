import { STATUS_CODES } from 'node:http'
import swagger, { type SwaggerTransform } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { VERSION } from '@isopod/protocol'
import type { FastifySchema, RouteOptions } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Http } from './create-http.ts'
import { problemSchema } from './problem.ts'

/**
 * Serves `/openapi.json`, generated from the schemas of the routes, and a reference page at `/docs`.
 *
 * @param webhooks what the gateway sends
 */
export async function serveDocument(http: Http, webhooks: Readonly<Record<string, object>>): Promise<void> {
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Isopod',
        version: VERSION,
        description:
          'Runs code you do not trust, each execution in a fresh hardened container. A method that a path does not have is answered with 405 and `Allow`.',
      },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key as `Authorization: Bearer …`' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key' },
        },
      },
      // `{}`: a gateway without keys serves callers on its own host.
      security: [{ bearer: [] }, { apiKey: [] }, {}],
      webhooks,
    },
    transform: describeRoute,
  })
  await http.register(swaggerUi, { routePrefix: '/docs', staticCSP: true })
  http.get('/openapi.json', { schema: { hide: true } }, async () => http.swagger())
}

type DescribedRoute = Parameters<SwaggerTransform>[0]
type Described = ReturnType<SwaggerTransform>

/** Adds to a route's schemas its operation id and the media types of its body and responses. */
function describeRoute(described: DescribedRoute): Described {
  const { schema, route, url } = described
  const toJson = (given: FastifySchema | undefined): Described =>
    jsonSchemaTransform({ ...described, schema: given } as Parameters<typeof jsonSchemaTransform>[0])
  if (schema === undefined || schema.hide === true) return toJson(schema)
  const { response, operationId = nameOf(route), ...rest } = schema
  const answers = Object.entries(response ?? {}).map(([status, answer]) => [
    status,
    withMediaType(status, answer),
  ])
  const transformed = toJson({
    ...rest,
    operationId,
    ...(answers.length > 0 && { response: Object.fromEntries(answers) }),
  })
  if (route.config?.multipart !== true) return transformed
  return { url, schema: { ...transformed.schema, body: { content: withMultipart(transformed.schema.body) } } }
}

function withMediaType(status: string, answer: unknown): unknown {
  if (!(answer instanceof z.ZodType)) return answer
  const type = answer === problemSchema ? 'application/problem+json' : 'application/json'
  return { description: STATUS_CODES[status] ?? status, content: { [type]: { schema: answer } } }
}

function withMultipart(job: unknown): Record<string, { schema: unknown }> {
  const file = { type: 'string', description: 'A file; the name of the part is its path' }
  const schema = { type: 'object', properties: { job }, required: ['job'], additionalProperties: file }
  return { 'application/json': { schema: job }, 'multipart/form-data': { schema } }
}

/** `GET /languages/:id` → `getLanguagesId`. */
function nameOf({ method, url }: RouteOptions): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const verb = String(method).toLowerCase()
  return verb + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { VERSION } from '@isopod/protocol'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import type { Http } from './create-http.ts'

/** Serves `/openapi.json`, made from the schemas of the routes, and a reference page at `/docs`. */
export async function serveDocument(http: Http): Promise<void> {
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Isopod',
        version: VERSION,
        description: 'Runs code you do not trust, each execution in a fresh hardened container.',
      },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        },
      },
      security: [{ bearer: [] }, { apiKey: [] }, {}],
    },
    transform: jsonSchemaTransform,
  })
  await http.register(swaggerUi, { routePrefix: '/docs', staticCSP: true })
  http.get('/openapi.json', { schema: { hide: true } }, async () => http.swagger())
}

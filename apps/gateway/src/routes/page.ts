import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { PAGE_FOLDER } from '@isopod/page'
import { ConfigError } from '@isopod/protocol'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Http } from '../http/create-http.ts'

/** The page may run its own scripts and styles, show its own images, and call this gateway. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Images that a program left: the page recognizes them by their bytes and shows them from `blob:` URLs.
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const INDEX = 'index.html'

/**
 * The page at `/` and its assets. The page contains no secrets and needs no key; its requests to `/v1` do.
 *
 * @throws {ConfigError} if the page was not built
 */
export async function pageRoutes(http: Http, { config }: GatewayParts): Promise<void> {
  if (!config.page) return
  await stat(join(PAGE_FOLDER, INDEX)).catch((cause) => {
    throw new ConfigError(
      `ISOPOD_GATEWAY_PAGE: the page is not built; build it with "npm run build --workspace @isopod/page", or set false`,
      { cause },
    )
  })
  await http.register(fastifyStatic, {
    root: join(PAGE_FOLDER, 'assets'),
    prefix: '/assets/',
    index: false,
    preCompressed: true,
    // The names of assets contain a hash of their content.
    immutable: true,
    maxAge: '365d',
    schemaHide: true,
  })
  http.addHook('onSend', async (_, reply) => {
    reply.headers({
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
  })
  http.get('/', { schema: { hide: true } }, (_, reply) =>
    reply.sendFile(INDEX, PAGE_FOLDER, { immutable: false, maxAge: 0 }),
  )
}

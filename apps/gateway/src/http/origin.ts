import { isLoopback } from '@isopod/service-kit'
import type { FastifyRequest } from 'fastify'
import { RequestRefused } from './problem.ts'

/**
 * Refuses requests from pages of other sites, which could otherwise submit code to a gateway on the visitor's loopback.
 * Requests without an `Origin` do not come from pages of other sites.
 *
 * @throws {RequestRefused} 403
 */
export function checkOrigin(
  request: FastifyRequest,
  config: { readonly host: string; readonly corsOrigins: readonly string[] },
): void {
  const { host, origin } = request.headers
  // DNS rebinding: a foreign name that resolves to this host makes the page same-origin for the browser.
  if (isLoopback(config.host) && host !== undefined && !isLoopback(hostName(host))) {
    throw refused(`Host: ${host.slice(0, 100)} is not a name of this host; use localhost or 127.0.0.1.`)
  }
  if (origin === undefined || config.corsOrigins.includes(origin)) return
  if (URL.canParse(origin) && new URL(origin).host === host) return
  throw refused(
    `Origin: pages of ${origin.slice(0, 100)} may not call this gateway; ISOPOD_GATEWAY_CORS_ORIGINS can allow them.`,
  )
}

/** `[::1]:8007` → `::1`, `localhost:8007` → `localhost`. */
function hostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
}

function refused(detail: string): RequestRefused {
  return new RequestRefused({ status: 403, code: 'foreign_origin', detail })
}

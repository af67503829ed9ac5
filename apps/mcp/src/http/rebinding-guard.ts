import type { IncomingHttpHeaders } from 'node:http'

/** Names of loopback in URLs. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * Refuses requests from web pages. With DNS rebinding a page's own name resolves to this server, and only `Host` and `Origin`
 * reveal where the page came from.
 */
export class RebindingGuard {
  readonly #names: ReadonlySet<string>

  /** @param names host names that clients may use, besides those of loopback */
  constructor(names: readonly string[]) {
    this.#names = new Set([...LOOPBACK_NAMES, ...names.map((name) => hostnameOf(`http://${name}`) ?? name)])
  }

  /** Why the request is refused, as a sentence; undefined if it is allowed. */
  problem({ host, origin }: IncomingHttpHeaders): string | undefined {
    if (!this.#allows(`http://${host ?? ''}`)) {
      return `Host: must be a loopback name or one of ISOPOD_MCP_ALLOWED_HOSTS`
    }
    if (origin !== undefined && !this.#allows(origin)) {
      return `Origin: must be a loopback name or one of ISOPOD_MCP_ALLOWED_HOSTS`
    }
    return undefined
  }

  #allows(url: string): boolean {
    const hostname = hostnameOf(url)
    return hostname !== undefined && this.#names.has(hostname)
  }
}

function hostnameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname.toLowerCase()
}

import type { IncomingHttpHeaders } from 'node:http'

/** Names of loopback as a URL has them. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * Refuses requests that a page of the web made: with DNS rebinding its own name leads to this server, and only Host and
 * Origin still say whose page it was.
 */
export class RebindingGuard {
  readonly #names: ReadonlySet<string>

  /** @param names by which clients may address this server, beside those of loopback */
  constructor(names: readonly string[]) {
    this.#names = new Set([...LOOPBACK_NAMES, ...names.map((name) => hostnameOf(`http://${name}`) ?? name)])
  }

  /** Why the request is refused, as a sentence; undefined if it is not. */
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

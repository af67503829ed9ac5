import { isIPv6, SocketAddress } from 'node:net'
import { domainToASCII } from 'node:url'
import { splitEndpoint } from '@isopod/protocol'

/** Where a program wants to go. */
export interface Target {
  /** Lower-case name without trailing dot, or an address without brackets, in its one canonical form. */
  readonly host: string
  readonly port: number
}

/**
 * Reads `host:port` in any spelling: letters of either case, international names, a trailing dot, brackets.
 *
 * @returns undefined if it is none
 */
export function readTarget(text: string): Target | undefined {
  const endpoint = splitEndpoint(text)
  const host = endpoint && canonicalHost(endpoint.host)
  return endpoint === undefined || host === undefined ? undefined : { host, port: endpoint.port }
}

/** The allow-list of one profile. */
export class AllowList {
  readonly #exact = new Set<string>()
  readonly #below: Target[] = []

  /** @param entries of a profile's `egress`, validated; one that nothing can match is dropped */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const target = readTarget(entry.replace(/^\*\./, ''))
      if (target === undefined) continue
      if (entry.startsWith('*.')) this.#below.push(target)
      else this.#exact.add(keyOf(target))
    }
  }

  /** Whether a program may go there: this very port, this very host or a name below a wildcard's. */
  allows(target: Target): boolean {
    return (
      this.#exact.has(keyOf(target)) ||
      this.#below.some(({ host, port }) => port === target.port && target.host.endsWith(`.${host}`))
    )
  }
}

/** `host:port` for people and logs. */
export function showTarget({ host, port }: Target): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
}

function keyOf({ host, port }: Target): string {
  return `${host} ${port}`
}

function canonicalHost(host: string): string | undefined {
  if (host.startsWith('[')) {
    const address = host.slice(1, -1)
    return isIPv6(address) ? new SocketAddress({ address, family: 'ipv6' }).address : undefined
  }
  // Also turns the many spellings of an IPv4 address (127.1, 0x7f.1) into the one, as resolvers would.
  const ascii = domainToASCII(host.replace(/\.$/, ''))
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(ascii) && ascii.length <= 253 ? ascii : undefined
}

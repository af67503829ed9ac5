import { isIP, isIPv6, SocketAddress } from 'node:net'
import { domainToASCII } from 'node:url'
import type { DialTarget } from '@isopod/egress'
import { splitEndpoint } from '@isopod/protocol'

/**
 * Reads `host:port` in any spelling: upper or lower case, international names, a trailing dot, brackets.
 *
 * @returns undefined if the text is not a target
 */
export function readTarget(text: string): DialTarget | undefined {
  const endpoint = splitEndpoint(text)
  const host = endpoint && canonicalHost(endpoint.host)
  return endpoint === undefined || host === undefined ? undefined : { host, port: endpoint.port }
}

/** One entry of a profile's `egress`: a target, or with `below` all names under its host. */
interface Rule extends DialTarget {
  readonly below: boolean
}

/** Reads an entry of a profile's `egress`. @returns undefined for one that no target can match */
export function readRule(entry: string): Rule | undefined {
  const below = entry.startsWith('*.')
  const target = readTarget(below ? entry.slice(2) : entry)
  return target === undefined || (below && isIP(target.host) !== 0) ? undefined : { ...target, below }
}

/** The allow-list of one profile. */
export class AllowList {
  readonly #exact = new Set<string>()
  readonly #below: DialTarget[] = []

  /** @param entries of a profile's `egress`, validated */
  constructor(entries: readonly string[]) {
    for (const rule of entries.map(readRule)) {
      if (rule?.below) this.#below.push(rule)
      else if (rule !== undefined) this.#exact.add(keyOf(rule))
    }
  }

  /** Whether a program may connect to a target: same port, and same host or a name below a wildcard. */
  allows(target: DialTarget): boolean {
    return (
      this.#exact.has(keyOf(target)) ||
      this.#below.some(({ host, port }) => port === target.port && target.host.endsWith(`.${host}`))
    )
  }
}

/** `host:port` for people and logs. */
export function showTarget({ host, port }: DialTarget): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
}

function keyOf({ host, port }: DialTarget): string {
  return `${host} ${port}`
}

function canonicalHost(host: string): string | undefined {
  if (host.startsWith('[')) {
    const address = host.slice(1, -1)
    return isIPv6(address) ? new SocketAddress({ address, family: 'ipv6' }).address : undefined
  }
  // Also canonicalizes spellings of IPv4 addresses (127.1, 0x7f.1), as resolvers do.
  const ascii = domainToASCII(host.replace(/\.$/, ''))
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(ascii) && ascii.length <= 253 ? ascii : undefined
}

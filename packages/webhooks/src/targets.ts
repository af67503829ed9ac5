import { isIP } from 'node:net'
import {
  type AddressRanges,
  addressRangesOf,
  coversMapped,
  type DialTarget,
  listed,
  specialKind,
} from '@isopod/egress'
import { ConfigError } from '@isopod/protocol'

const ANY = addressRangesOf(['0.0.0.0/0', '::/0'])
const NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

/** Targets that webhooks may call besides the public internet. */
export interface TargetRules {
  /** Host names that may resolve to any address. */
  readonly hosts: ReadonlySet<string>
  readonly ranges: AddressRanges
}

/**
 * Parses the operator's allow list.
 *
 * @param entries ranges (`10.1.0.0/16`), addresses, and names
 * @throws {ConfigError} naming the entry
 */
export function parseTargetRules(entries: readonly string[]): TargetRules {
  const hosts = new Set<string>()
  const ranges: string[] = []
  for (const entry of entries) {
    const range = rangeOf(entry)
    if (range !== undefined) ranges.push(range)
    else if (NAME.test(entry) && !/^[\d.]+$/.test(entry)) hosts.add(entry)
    else {
      throw new ConfigError(
        `must be host names, addresses and ranges such as 10.1.0.0/16, separated by commas; ${JSON.stringify(entry)} is none`,
      )
    }
  }
  return { hosts, ranges: addressRangesOf(ranges) }
}

/** Host and port of a URL. */
export function targetOf(url: URL): DialTarget {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return { host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) }
}

/** The ranges besides the public internet that a host may resolve to. */
export function rangesFor(host: string, { hosts, ranges }: TargetRules): AddressRanges {
  return hosts.has(host) ? ANY : ranges
}

/**
 * Refuses a URL at submit: its host is an address that is not allowed, or `localhost`. Other names are resolved and
 * checked at each attempt.
 *
 * @param text a URL, in any spelling of its host
 * @returns the end of the sentence "the address is …", or undefined if the URL is not refused
 */
export function refusedKind(text: string, rules: TargetRules): string | undefined {
  const url = URL.parse(text)
  if (url === null) return undefined
  const { host } = targetOf(url)
  if (rules.hosts.has(host)) return undefined
  if (isIP(host) !== 0) return listed(rules.ranges, host) ? undefined : specialKind(host)
  if (host !== 'localhost' && !host.endsWith('.localhost')) return undefined
  return listed(rules.ranges, '127.0.0.1') || listed(rules.ranges, '::1') ? undefined : 'loopback'
}

/** An address or range as a range; undefined for any other entry. */
function rangeOf(entry: string): string | undefined {
  const [address = '', bits, ...rest] = entry.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0 || address.includes('%')) return undefined
  const longest = family === 4 ? 32 : 128
  const range = `${address}/${bits ?? longest}`
  const isValid = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest)
  return isValid && !(family === 6 && coversMapped(range)) ? range : undefined
}

import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** What is not the public internet, by the registries of special-purpose addresses (RFC 6890 and its successors). */
const SPECIAL_V4: Readonly<Record<string, readonly string[]>> = {
  unspecified: ['0.0.0.0/8'],
  loopback: ['127.0.0.0/8'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  // 169.254.169.254 among them, where clouds keep their credentials.
  'link-local': ['169.254.0.0/16'],
  'shared by carriers': ['100.64.0.0/10'],
  // A virtual machine's way to its host in one cloud; it looks like any public address.
  'of a cloud platform': ['168.63.129.16/32'],
  multicast: ['224.0.0.0/4'],
  reserved: [
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
  ],
}

const MAPPED = '::ffff:0:0/96'

/** All that is public is in here; the rest is loopback, unique local, link-local, multicast, NAT64, or nobody's. */
const GLOBAL_V6 = listOf(['2000::/3'])
const SPECIAL_V6: Readonly<Record<string, readonly string[]>> = {
  unspecified: ['::/128'],
  loopback: ['::1/128'],
  private: ['fc00::/7', 'fec0::/10'],
  'link-local': ['fe80::/10'],
  multicast: ['ff00::/8'],
  // Each holds an IPv4 address that a gateway on the way would take out and call: mapped, compatible, NAT64, 6to4, Teredo.
  'an IPv4 address in disguise': [
    MAPPED,
    '::/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '2002::/16',
    '2001::/32',
  ],
  reserved: ['2001:2::/48', '2001:10::/28', '2001:20::/28', '2001:db8::/32', '3fff::/20'],
}

const SPECIAL = [...Object.entries(SPECIAL_V4), ...Object.entries(SPECIAL_V6)].map(([reason, ranges]) => ({
  reason,
  list: listOf(ranges),
}))

/** Address ranges, the families apart: in one list of Node, `::/0` would contain every IPv4 address. */
export interface AddressRanges {
  readonly ipv4: BlockList
  readonly ipv6: BlockList
}

/** Makes a list of address ranges such as `10.0.0.0/8`, which are valid. */
export function listOf(ranges: readonly string[]): AddressRanges {
  const list = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list[family].addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether a valid range contains IPv4 addresses written as IPv6 ones, which the system would call as what they are. */
export function coversMapped(range: string): boolean {
  return listed(listOf([range]), '::ffff:0:0') || listed(listOf([MAPPED]), range.replace(/\/.*/, ''))
}

/**
 * Says what an address is if it is not one of the public internet.
 *
 * @param address as the resolver gives it; texts that are no address count as reserved
 * @returns the end of the sentence «the address is …», or undefined for a public one
 */
export function specialKind(address: string): string | undefined {
  const known = SPECIAL.find(({ list }) => listed(list, address))?.reason
  return known ?? (isIPv4(address) || listed(GLOBAL_V6, address) ? undefined : 'reserved')
}

/** Whether a list contains an address of either family; what is none, or has a zone of this host, is in no list. */
export function listed(list: AddressRanges, address: string): boolean {
  if (isIPv4(address)) return list.ipv4.check(address, 'ipv4')
  return isIPv6(address) && !address.includes('%') && list.ipv6.check(address, 'ipv6')
}

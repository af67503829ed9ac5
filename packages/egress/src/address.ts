import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Addresses outside the public internet, from the registries of special-purpose addresses (RFC 6890 and its successors). */
const SPECIAL_V4: Readonly<Record<string, readonly string[]>> = {
  unspecified: ['0.0.0.0/8'],
  loopback: ['127.0.0.0/8'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  // Includes 169.254.169.254, the metadata service of clouds.
  'link-local': ['169.254.0.0/16'],
  'shared by carriers': ['100.64.0.0/10'],
  // Azure's address for the host of a virtual machine; it looks like a public address.
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

/** All public addresses are in this range; others are loopback, unique local, link-local, multicast, NAT64 or unassigned. */
const GLOBAL_V6 = addressRangesOf(['2000::/3'])
const SPECIAL_V6: Readonly<Record<string, readonly string[]>> = {
  unspecified: ['::/128'],
  loopback: ['::1/128'],
  private: ['fc00::/7', 'fec0::/10'],
  'link-local': ['fe80::/10'],
  multicast: ['ff00::/8'],
  // Each embeds an IPv4 address that a gateway may extract and call: mapped, compatible, NAT64, 6to4, Teredo.
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
  list: addressRangesOf(ranges),
}))

/** Address ranges, one list per family: in a common `BlockList`, `::/0` would contain every IPv4 address. */
export interface AddressRanges {
  readonly ipv4: BlockList
  readonly ipv6: BlockList
}

/** Makes a list of valid address ranges such as `10.0.0.0/8`. */
export function addressRangesOf(ranges: readonly string[]): AddressRanges {
  const list = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list[family].addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether a valid range contains IPv4-mapped IPv6 addresses, which the system connects to over IPv4. */
export function coversMapped(range: string): boolean {
  return (
    listed(addressRangesOf([range]), '::ffff:0:0') ||
    listed(addressRangesOf([MAPPED]), range.replace(/\/.*/, ''))
  )
}

/**
 * The kind of an address outside the public internet.
 *
 * @param address as the resolver returns it; any other text counts as reserved
 * @returns the end of the sentence "the address is …", or undefined for a public one
 */
export function specialKind(address: string): string | undefined {
  const known = SPECIAL.find(({ list }) => listed(list, address))?.reason
  return known ?? (isIPv4(address) || listed(GLOBAL_V6, address) ? undefined : 'reserved')
}

/** Whether a list contains an address of either family. False for other texts and for addresses with a zone. */
export function listed(list: AddressRanges, address: string): boolean {
  if (isIPv4(address)) return list.ipv4.check(address, 'ipv4')
  return isIPv6(address) && !address.includes('%') && list.ipv6.check(address, 'ipv6')
}

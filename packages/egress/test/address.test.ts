import { isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressRangesOf, coversMapped, listed, specialKind } from '../src/address.ts'

const byte = fc.integer({ min: 0, max: 255 })
const v4 = fc.tuple(byte, byte, byte, byte)
const groups = fc.tuple(...Array.from({ length: 8 }, () => fc.integer({ min: 0, max: 0xffff })))

/** The same rule as comparisons, written independently from the IANA registry. */
function isPublicV4([a, b, c, d]: readonly number[] & { length: 4 }): boolean {
  const [w = 0, x = 0, y = 0, z = 0] = [a, b, c, d]
  if (w === 0 || w === 10 || w === 127 || w >= 224) return false
  if (w === 100) return x < 64 || x > 127
  if (w === 168) return !(x === 63 && y === 129 && z === 16)
  if (w === 169) return x !== 254
  if (w === 172) return x < 16 || x > 31
  if (w === 192) return !(x === 168 || (x === 0 && (y === 0 || y === 2)) || (x === 88 && y === 99))
  if (w === 198) return !(x === 18 || x === 19 || (x === 51 && y === 100))
  return !(w === 203 && x === 0 && y === 113)
}

/** Addresses near the edges of the ranges, which random addresses rarely hit. */
const edges = fc
  .tuple(
    fc.constantFrom(0, 9, 10, 11, 99, 100, 101, 126, 127, 128, 168, 169, 172, 192, 198, 203, 223, 224, 255),
    fc.constantFrom(0, 1, 15, 16, 17, 18, 19, 20, 31, 32, 51, 63, 64, 88, 127, 128, 168, 253, 254, 255),
    fc.constantFrom(0, 1, 2, 3, 99, 100, 113, 129, 254, 255),
    fc.constantFrom(0, 1, 16, 254, 255),
  )
  .map((parts) => parts)

describe('an IPv4 address', () => {
  it('is public exactly where the IANA registry says so', () => {
    fc.assert(
      fc.property(fc.oneof(v4, edges), (parts) => {
        expect(specialKind(parts.join('.')) === undefined, parts.join('.')).toBe(isPublicV4(parts))
      }),
      { numRuns: 3000 },
    )
  })

  it('is never public inside an IPv6 address', () => {
    fc.assert(
      fc.property(v4, ([a, b, c, d]) => {
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        for (const address of [
          `::ffff:${a}.${b}.${c}.${d}`,
          `::${hex}`,
          `64:ff9b::${hex}`,
          `64:ff9b:1::${hex}`,
          `2002:${hex}::1`,
          `2001:0:${hex}::1`,
        ]) {
          expect(isIPv6(address), address).toBe(true)
          expect(specialKind(address), address).toBeDefined()
        }
      }),
    )
  })
})

describe('an IPv6 address', () => {
  it('is public only in 2000::/3', () => {
    fc.assert(
      fc.property(groups, (parts) => {
        const address = parts.map((part) => part.toString(16)).join(':')
        if ((parts[0] ?? 0) >> 13 !== 1) expect(specialKind(address), address).toBeDefined()
      }),
    )
  })

  it.each([
    ['2606:4700::1111', undefined],
    ['2a00:1450:4001::1', undefined],
    ['::1', 'loopback'],
    ['::', 'unspecified'],
    ['fe80::1', 'link-local'],
    ['fd00:ec2::254', 'private'],
    ['fc00::1', 'private'],
    ['ff02::1', 'multicast'],
    ['2001:db8::1', 'reserved'],
    ['100::1', 'reserved'],
    ['2606:4700::1%eth0', 'reserved'],
    ['nonsense', 'reserved'],
    ['', 'reserved'],
  ])('%s is %s', (address, kind) => {
    expect(specialKind(address)).toBe(kind)
  })
})

describe('a range that an operator opens', () => {
  it('contains its own addresses and no others', () => {
    const list = addressRangesOf(['10.1.2.0/24', 'fd00:1::/32'])
    expect(['10.1.2.0', '10.1.2.255', 'fd00:1::5'].map((address) => listed(list, address))).toEqual([
      true,
      true,
      true,
    ])
    for (const address of ['10.1.3.0', '10.1.1.255', 'fd00:2::5', '::', 'fd00:1::5%eth0', '127.0.0.1']) {
      expect(listed(list, address), address).toBe(false)
    }
  })
  it('of IPv6 addresses, however wide, includes no IPv4 address', () => {
    const list = addressRangesOf(['::/0', '::ffff:0:0/96'])
    for (const address of ['169.254.169.254', '127.0.0.1', '10.1.2.3', '0.0.0.0']) {
      expect(listed(list, address), address).toBe(false)
    }
    expect(listed(addressRangesOf(['0.0.0.0/0']), '::ffff:10.1.2.3')).toBe(false)
  })

  it.each([
    ['::/0', true],
    ['::/80', true],
    ['::ffff:0:0/96', true],
    ['::ffff:10.0.0.0/104', true],
    ['::ffff:a00:1/128', true],
    ['fd00::/8', false],
    ['2000::/3', false],
    ['::1/128', false],
    ['0.0.0.0/0', false],
  ])('%s covers IPv4 addresses written as IPv6: %s', (range, covers) => {
    expect(coversMapped(range)).toBe(covers)
  })
})

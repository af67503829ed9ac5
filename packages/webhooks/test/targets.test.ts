import { describe, expect, it } from 'vitest'
import { pauseAfter } from '../src/backoff.ts'
import { parseTargetRules, refusedKind } from '../src/index.ts'
import { targetOf } from '../src/targets.ts'

const NONE = parseTargetRules([])

describe('the URL of a webhook', () => {
  it.each([
    ['http://127.0.0.1/', 'loopback'],
    ['http://127.1/', 'loopback'],
    ['http://2130706433/', 'loopback'],
    ['http://0x7f000001/', 'loopback'],
    ['http://0x7f.0.0.1/', 'loopback'],
    ['http://0177.0.0.1/', 'loopback'],
    ['http://017700000001/', 'loopback'],
    ['http://127.0.0.1./', 'loopback'],
    ['http://１２７.0.0.1/', 'loopback'],
    ['http://localhost:8080/', 'loopback'],
    ['http://LOCALHOST./', 'loopback'],
    ['http://a.localhost/', 'loopback'],
    ['http://[::1]/', 'loopback'],
    ['http://[0:0:0:0:0:0:0:1]/', 'loopback'],
    ['http://0/', 'unspecified'],
    ['http://[::]/', 'unspecified'],
    ['http://10.0.0.1/', 'private'],
    ['http://172.31.255.255/', 'private'],
    ['http://192.168.1.1/', 'private'],
    ['http://[fd00:ec2::254]/', 'private'],
    ['http://100.64.0.1/', 'shared by carriers'],
    ['http://169.254.169.254/latest/meta-data', 'link-local'],
    ['http://0xa9fea9fe/', 'link-local'],
    ['http://[fe80::1]/', 'link-local'],
    ['http://168.63.129.16/', 'of a cloud platform'],
    ['http://224.0.0.1/', 'multicast'],
    ['http://[ff02::1]/', 'multicast'],
    ['http://255.255.255.255/', 'reserved'],
    ['http://[::ffff:127.0.0.1]/', 'an IPv4 address in disguise'],
    ['http://[::ffff:8.8.8.8]/', 'an IPv4 address in disguise'],
    ['http://[64:ff9b::7f00:1]/', 'an IPv4 address in disguise'],
    ['http://[2002:7f00:1::]/', 'an IPv4 address in disguise'],
    ['http://[::7f00:1]/', 'an IPv4 address in disguise'],
  ])('%s is known to be %s', (url, kind) => {
    expect(refusedKind(url, NONE)).toBe(kind)
  })

  it.each(['https://example.org/', 'http://8.8.8.8/', 'http://[2606:4700::1111]/', 'http://internal/'])(
    '%s is accepted; the connection checks the address',
    (url) => {
      expect(refusedKind(url, NONE)).toBeUndefined()
    },
  )

  it.each([
    ['https://example.org/a', { host: 'example.org', port: 443 }],
    ['http://example.org./a', { host: 'example.org', port: 80 }],
    ['http://[::1]:8080/', { host: '::1', port: 8080 }],
  ])('%s has the target %j', (url, target) => {
    expect(targetOf(new URL(url))).toEqual(target)
  })
})

describe('targets that the operator allows', () => {
  it.each([
    ['127.0.0.0/8', 'http://127.0.0.1/', 'http://10.0.0.1/'],
    ['10.1.2.3', 'http://10.1.2.3/', 'http://10.1.2.4/'],
    ['::1', 'http://[::1]/', 'http://127.0.0.1/'],
    ['localhost', 'http://localhost/', 'http://127.0.0.1/'],
    ['127.0.0.1', 'http://localhost/', 'http://[::1]/'],
    ['0.0.0.0/0', 'http://10.0.0.1/', 'http://[::ffff:10.0.0.1]/'],
  ])('%s allows %s and not %s', (entry, allowed, refused) => {
    const rules = parseTargetRules([entry])
    expect(refusedKind(allowed, rules)).toBeUndefined()
    expect(refusedKind(refused, rules)).toBeDefined()
  })

  it.each([
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/8/8',
    '::/0',
    '::ffff:0:0/96',
    'a b',
    'http://a',
    '1.2.3',
    '*',
  ])('cannot be %s', (entry) => {
    expect(() => parseTargetRules([entry])).toThrow(JSON.stringify(entry))
  })
})

it('each pause before a retry is three times the one before, plus or minus a fifth', () => {
  expect([1, 2, 3, 9].map((tries) => pauseAfter(tries, 5_000, 0.5))).toEqual([
    5_000, 15_000, 45_000, 32_805_000,
  ])
  expect(pauseAfter(1, 5_000, 0)).toBeCloseTo(4_000)
  expect(pauseAfter(1, 5_000, 1)).toBeCloseTo(6_000)
})

import { ConfigError } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { compileNetworks } from '../../src/network/profiles.ts'

const refusal = (profiles: unknown) => {
  try {
    compileNetworks({ profiles }, 'net.yaml')
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  return 'accepted'
}

describe('the operator’s network profiles', () => {
  it('have defaults', () => {
    const networks = compileNetworks({ profiles: { pypi: { egress: ['pypi.org:443'] } } }, 'net.yaml')
    expect(networks.get('pypi')).toMatchObject({
      name: 'pypi',
      max_connections: 16,
      max_total_connections: 1000,
      max_bytes: 104_857_600,
      connect_timeout_seconds: 10,
      idle_timeout_seconds: 60,
    })
  })

  it.each([
    [{ a: { egress: ['pypi.org'] } }, 'net.yaml: profiles.a.egress.0: must be host:port'],
    [{ a: { egress: ['*:443'] } }, 'profiles.a.egress.0: must be host:port'],
    [{ a: { egress: ['a.*.org:443'] } }, 'profiles.a.egress.0: must be host:port'],
    [{ a: { egress: ['https://pypi.org:443'] } }, 'profiles.a.egress.0'],
    [{ a: { egress: ['pypi.org:70000'] } }, 'got "pypi.org:70000"'],
    [{ a: { egress: [] } }, 'profiles.a.egress: must name a target'],
    [{ a: {} }, 'profiles.a.egress: must be a list of host:port'],
    [
      { a: { egress: ['a:1'], allow_private: ['10.0.0.0'] } },
      'profiles.a.allow_private.0: must be an address range',
    ],
    [
      { a: { egress: ['a:1'], max_connections: 0 } },
      'profiles.a.max_connections: must be a whole number from 1 to 32',
    ],
    [{ a: { egress: ['a:1'], host: true } }, 'profiles.a.host: unknown field'],
    [
      { none: { egress: ['a:1'] } },
      'profiles.none: must have names of 1 to 64 plain characters, other than "none"',
    ],
    [
      { a: { egress: ['b:1', 'foo..bar:443'] } },
      'net.yaml: profiles.a.egress: "foo..bar:443" is a target that nothing can match',
    ],
    [{ a: { egress: ['*.10.1.2.3:80'] } }, '"*.10.1.2.3:80" is a target that nothing can match'],
    [{ a: { egress: ['*.[::1]:80'] } }, '"*.[::1]:80" is a target that nothing can match'],
    [{ a: { egress: ['[::1::2]:80'] } }, '"[::1::2]:80" is a target that nothing can match'],
    [
      { a: { egress: ['b:1'], allow_private: ['10.0.0.0/8', '::/0'] } },
      'net.yaml: profiles.a.allow_private: "::/0" covers ::ffff:0:0/96',
    ],
    [[], 'profiles: must be an object of name to profile'],
  ])('%j is refused', (profiles, sentence) => {
    expect(refusal(profiles)).toContain(sentence)
  })
})

import { ConfigError } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { loadTenants, parseTenants } from '../../src/admission/load-tenants.ts'

const refusal = (document: unknown) => {
  try {
    parseTenants(document, 'tenants.yaml')
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  return 'accepted'
}

describe('the operator’s rules of tenants', () => {
  it('are by name, with one for all others', () => {
    const document = { tenants: { ci: { weight: 2, max_in_flight: 4 } }, others: { max_queued: 1000 } }
    expect(parseTenants(document, 'tenants.yaml')).toEqual({
      ci: { weight: 2, maxInFlight: 4 },
      '*': { weight: 1, maxQueued: 1000 },
    })
  })

  it('are none without a file', async () => {
    expect(await loadTenants(undefined)).toEqual({})
    await expect(loadTenants('/nowhere/tenants.yaml')).rejects.toBeInstanceOf(ConfigError)
  })

  it.each([
    [
      { tenants: { ci: { weight: 0 } } },
      'tenants.yaml: tenants.ci.weight: must be a whole number from 1 to 1000',
    ],
    [{ tenants: { ci: { max_inflight: 1 } } }, 'tenants.ci.max_inflight: unknown field'],
    [{ tenants: { '*': {} } }, 'must be 1 to 64 characters'],
    [{ tenants: [] }, 'tenants: must be an object of name to rule'],
    [{ other: {} }, 'other: unknown field'],
  ])('%j is refused', (document, message) => {
    expect(refusal(document)).toContain(message)
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Access, openAccess } from '@isopod/access'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Callers } from '../src/callers.ts'
import { PresentedKey } from '../src/http/presented-key.ts'

let directory: string
let server: RedisServer
/** `open` has no keys, `keyed` has one. */
let open: Access
let keyed: Access

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isopod-callers-'))
  server = await startRedisServer({ directory })
  open = await openAccess({ url: server.url, prefix: 'open' })
  keyed = await openAccess({ url: server.url, prefix: 'keyed' })
  await keyed.keys.create({ name: 'x', tenant: 'x', scopes: ['read'] })
})

afterAll(async () => {
  open.close()
  keyed.close()
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

// promise: http-keys
describe('a caller without a key', () => {
  const everywhere = { allowed: true, loopback: false }

  it('sees every tenant while no keys exist and only its own host can connect', async () => {
    for (const allowed of [true, false]) {
      const caller = await new Callers(open, { allowed, loopback: true }).identify(undefined, 'admin')
      expect(caller).toEqual({ tenant: undefined, key: undefined })
    }
  })

  it('is the tenant default and never an admin where callers from other hosts are allowed', async () => {
    for (const access of [open, keyed]) {
      const callers = new Callers(access, everywhere)
      expect(await callers.identify(undefined, 'read')).toEqual({ tenant: 'default', key: undefined })
      await expect(callers.identify(undefined, 'admin')).rejects.toMatchObject({ status: 401 })
    }
  })

  it('is refused anywhere else', async () => {
    for (const [access, rules] of [
      [keyed, { allowed: false, loopback: true }],
      [keyed, { allowed: false, loopback: false }],
      [open, { allowed: false, loopback: false }],
    ] as const) {
      const refused = new Callers(access, rules).authenticate(undefined)
      await expect(refused).rejects.toMatchObject({ status: 401 })
    }
  })
})

describe('a request with a key', () => {
  it('counts once against the rate, however often the gateway identifies its caller', async () => {
    const wanted = { name: 'y', tenant: 'a', scopes: ['read'], requestsPerMinute: 1 } as const
    const { token } = await keyed.keys.create(wanted)
    const callers = new Callers(keyed, { allowed: false, loopback: false })
    const presented = new PresentedKey(token)
    await callers.authenticate(presented)
    expect(await callers.identify(presented, 'read')).toMatchObject({ tenant: 'a' })
    await expect(callers.identify(presented, 'submit')).rejects.toMatchObject({ status: 403 })
    const next = callers.authenticate(new PresentedKey(token))
    await expect(next).rejects.toMatchObject({ status: 429, retryAfterSeconds: expect.any(Number) })
  })
})

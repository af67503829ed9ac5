import { readFile } from 'node:fs/promises'
import type { Access, ApiKey, KeyScope, NewApiKey } from '@isopod/access'
import { visible } from '@isopod/protocol'
import { EXIT, type ExitCode, UsageError } from '@isopod/service-kit'
import { type Io, note, write } from '../io.ts'
import { plainName, wholeNumber } from '../option-values.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { tableText, widthOf } from '../terminal/table.ts'
import { redisUrl } from '../with-client.ts'

const DAY_MS = 86_400_000

interface JsonOption {
  readonly json?: boolean
}

interface CreateOptions extends JsonOption {
  readonly name: string
  readonly tenant: string
  readonly scope: readonly KeyScope[]
  readonly perMinute?: string
  readonly inFlight?: string
  readonly days?: string
  readonly tokenFile?: string
}

/** `isopod keys create`: prints the token of a new key, once. */
export async function createKey(io: Io, services: Services, options: CreateOptions): Promise<ExitCode> {
  const wanted = { ...wantedKey(options), ...(await givenToken(options)) }
  return await withAccess(io, services, async (access) => {
    const { key, token } = await access.keys.create(wanted)
    if (options.json) {
      await write(io.stdout, jsonLine({ id: key.id, ...(wanted.token === undefined && { token }) }))
      return EXIT.success
    }
    if (wanted.token !== undefined) {
      note(io, `isopod: key ${key.id} for tenant ${key.tenant}, with the token of ${options.tokenFile}`)
      return EXIT.success
    }
    note(io, `isopod: key ${key.id} for tenant ${key.tenant}; the token is not shown again:`)
    await write(io.stdout, `${token}\n`)
    return EXIT.success
  })
}

/** `isopod keys list`: all keys without their secrets. */
export async function listKeys(io: Io, services: Services, { json }: JsonOption): Promise<ExitCode> {
  return await withAccess(io, services, async (access) => {
    const keys = await access.keys.list()
    if (json) await write(io.stdout, keys.map((key) => jsonLine(withoutHash(key))).join(''))
    else if (keys.length > 0) await write(io.stdout, keyTable(keys, widthOf(io.stdout)))
    else note(io, 'isopod: there is no key; the gateway serves callers on its own host only')
    return EXIT.success
  })
}

/** `isopod keys revoke`: deletes one key. */
export async function revokeKey(
  io: Io,
  services: Services,
  id: string,
  { json }: JsonOption,
): Promise<ExitCode> {
  return await withAccess(io, services, async (access) => {
    const revoked = await access.keys.revoke(id)
    if (json) await write(io.stdout, jsonLine({ id, revoked }))
    else if (revoked) note(io, `isopod: revoked ${id}`)
    else note(io, `isopod: there is no key ${id}; "isopod keys list" lists them`)
    return revoked ? EXIT.success : EXIT.failure
  })
}

function wantedKey({ name, tenant, scope, perMinute, inFlight, days }: CreateOptions): NewApiKey {
  if (name.length === 0 || name.length > 100) throw new UsageError('--name: must be 1 to 100 characters')
  return {
    name,
    tenant: plainName('--tenant', tenant, 64),
    scopes: scope,
    ...(perMinute !== undefined && { requestsPerMinute: wholeNumber('--per-minute', perMinute, 1_000_000) }),
    ...(inFlight !== undefined && { maxInFlight: wholeNumber('--in-flight', inFlight, 1_000_000) }),
    ...(days !== undefined && { expiresAt: Date.now() + wholeNumber('--days', days, 36_500) * DAY_MS }),
  }
}

async function givenToken({ tokenFile }: CreateOptions): Promise<Pick<NewApiKey, 'token'>> {
  if (tokenFile === undefined) return {}
  const text = await readFile(tokenFile, 'utf8').catch((error: Error) => {
    throw new UsageError(`--token-file: ${error.message}`)
  })
  return { token: text.trim() }
}

/** The key without the hash of its secret. */
function withoutHash({ secretHash: _, ...key }: ApiKey): Omit<ApiKey, 'secretHash'> {
  return key
}

function keyTable(keys: readonly ApiKey[], width: number): string {
  const rows = keys.map(({ id, tenant, scopes, expiresAt, name }) => [
    id,
    visible(tenant),
    scopes.join(','),
    expiresAt === null ? '' : new Date(expiresAt).toISOString().slice(0, 10),
    visible(name),
  ])
  const columns = [
    { head: 'id' },
    { head: 'tenant', flexible: true },
    { head: 'scopes' },
    { head: 'until' },
    { head: 'name', flexible: true },
  ]
  return tableText(columns, rows, width)
}

async function withAccess(
  io: Io,
  services: Services,
  use: (access: Access) => Promise<ExitCode>,
): Promise<ExitCode> {
  const access = await services.openAccess(await redisUrl(io, services), io.env)
  try {
    return await use(access)
  } finally {
    access.close()
  }
}

import { type Access, type ApiKey, KEY_SCOPES, type KeyScope, type NewApiKey } from '@isopod/access'
import { visible } from '@isopod/protocol'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import { type Command, Option } from 'commander'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { UsageError } from '../usage-error.ts'
import { redisUrl } from '../with-client.ts'

const DAY_MS = 86_400_000

interface CreateOptions {
  readonly name: string
  readonly tenant: string
  readonly scope: readonly KeyScope[]
  readonly perMinute?: string
  readonly inFlight?: string
  readonly days?: string
  readonly json?: boolean
}

/** Adds `keys create`, `keys list` and `keys revoke` to a command. */
export function keyCommands(keys: Command, io: Io, services: Services, end: (code: ExitCode) => void): void {
  keys
    .command('create')
    .description('create a key; it is printed once and stored nowhere')
    .requiredOption('--name <text>', 'for people')
    .requiredOption('--tenant <name>', 'whose executions it submits and sees')
    .addOption(
      new Option('--scope <scope...>', 'what it may do').choices(KEY_SCOPES).default(['submit', 'read']),
    )
    .option('--per-minute <n>', 'requests a minute (default: no limit)')
    .option('--in-flight <n>', 'unfinished executions at once (default: no limit)')
    .option('--days <n>', 'days until it expires (default: never)')
    .option('--json', 'print one JSON object: id and token')
    .action(async (options) => end(await withAccess(io, services, (access) => create(io, access, options))))
  keys
    .command('list')
    .description('list the keys, the oldest first')
    .option('--json', 'print one JSON object a line')
    .action(async (options) => end(await withAccess(io, services, (access) => list(io, access, options))))
  keys
    .command('revoke')
    .description('delete a key; its next request is refused')
    .argument('<id>', 'as list prints it')
    .action(async (id) => end(await withAccess(io, services, (access) => revoke(io, access, id))))
}

async function create(io: Io, access: Access, options: CreateOptions): Promise<ExitCode> {
  const { key, token } = await access.keys.create(wantedKey(options))
  if (options.json) {
    await write(io.stdout, jsonLine({ id: key.id, token }))
    return EXIT.success
  }
  note(io, `isopod: key ${key.id} for tenant ${key.tenant}; it is not shown again:`)
  await write(io.stdout, `${token}\n`)
  return EXIT.success
}

async function list(io: Io, access: Access, options: { readonly json?: boolean }): Promise<ExitCode> {
  const keys = await access.keys.list()
  if (keys.length === 0) note(io, 'isopod: there is no key; the gateway serves callers on its own host only')
  const lines = keys.map((key) => (options.json ? jsonLine(shown(key)) : lineOf(key)))
  await write(io.stdout, lines.join(''))
  return EXIT.success
}

async function revoke(io: Io, access: Access, id: string): Promise<ExitCode> {
  if (await access.keys.revoke(id)) {
    note(io, `isopod: revoked ${visible(id)}`)
    return EXIT.success
  }
  note(io, `isopod: there is no key ${visible(id)}; «isopod keys list» lists them`)
  return EXIT.failure
}

function wantedKey({ name, tenant, scope, perMinute, inFlight, days }: CreateOptions): NewApiKey {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(tenant)) {
    throw new UsageError(
      `--tenant: must be 1 to 64 characters of a-z, A-Z, 0-9, ".", "_" and "-", got ${JSON.stringify(tenant)}`,
    )
  }
  if (name.length === 0 || name.length > 100) throw new UsageError('--name: must be 1 to 100 characters')
  return {
    name,
    tenant,
    scopes: scope,
    ...(perMinute !== undefined && { requestsPerMinute: whole('--per-minute', perMinute, 1_000_000) }),
    ...(inFlight !== undefined && { maxInFlight: whole('--in-flight', inFlight, 1_000_000) }),
    ...(days !== undefined && { expiresAt: Date.now() + whole('--days', days, 36_500) * DAY_MS }),
  }
}

function whole(option: string, value: string, most: number): number {
  const number = Number(value)
  if (/^\d+$/.test(value) && number >= 1 && number <= most) return number
  throw new UsageError(`${option}: must be a whole number from 1 to ${most}, got ${JSON.stringify(value)}`)
}

/** All but what the secret could be guessed by. */
function shown({ secretHash: _, ...key }: ApiKey): Omit<ApiKey, 'secretHash'> {
  return key
}

function lineOf({ id, name, tenant, scopes, expiresAt }: ApiKey): string {
  const until = expiresAt === null ? '' : `  until ${new Date(expiresAt).toISOString().slice(0, 10)}`
  return `${visible(`${id}  ${tenant.padEnd(16)} ${scopes.join(',').padEnd(18)} ${name}${until}`)}\n`
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

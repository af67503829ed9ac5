import { ConfigError, visible } from '@isopod/protocol'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import { type ListedWebhook, newWebhookSecret, type WebhookQueue, WebhookSecrets } from '@isopod/webhooks'
import type { Command } from 'commander'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { UsageError } from '../usage-error.ts'
import { keepWebhookSecret, SECRET_VARIABLE, webhookSecret } from '../webhook-secret.ts'
import { redisUrl } from '../with-client.ts'

interface ListOptions {
  readonly failed?: boolean
  readonly json?: boolean
}

/** Adds `webhooks list`, `redeliver`, `secret` and `rotate` to a command. */
export function webhookCommands(
  webhooks: Command,
  io: Io,
  services: Services,
  end: (code: ExitCode) => void,
): void {
  webhooks
    .command('list')
    .description('list failed webhooks, the latest first, and those that wait for an attempt')
    .option('--failed', 'only failed webhooks')
    .option('--json', 'print one JSON object a line, with the whole URL')
    .action(async (options) => end(await withQueue(io, services, (queue) => list(io, queue, options))))
  webhooks
    .command('redeliver')
    .description('retry failed webhooks from their first attempt')
    .argument('[id...]', 'ids of executions, as printed by list')
    .option('--all', 'all failed webhooks')
    .action(async (ids, options) => {
      const isAll = options.all ?? false
      if (isAll === ids.length > 0) throw new UsageError('redeliver: give ids or --all')
      end(await withQueue(io, services, (queue) => redeliver(io, queue, ids)))
    })
  webhooks
    .command('secret')
    .description('print the secret that a tenant verifies signatures with')
    .option('--tenant <name>', 'tenant of the executions', 'default')
    .action(async (options) => end(await showSecret(io, options.tenant)))
  webhooks
    .command('rotate')
    .description('make a new secret; the previous one also signs until the next rotation')
    .action(async () => end(await rotate(io)))
}

async function list(io: Io, queue: WebhookQueue, { failed, json }: ListOptions): Promise<ExitCode> {
  let count = 0
  for (const listed of failed ? [queue.dead()] : [queue.dead(), queue.waiting()]) {
    for await (const webhook of listed) {
      count += 1
      await write(io.stdout, json ? jsonLine(shown(webhook)) : lineOf(webhook))
    }
  }
  if (count === 0) note(io, failed ? 'isopod: no webhook was given up' : 'isopod: no webhook waits')
  return EXIT.success
}

/** @param ids empty: all failed webhooks */
async function redeliver(io: Io, queue: WebhookQueue, ids: readonly string[]): Promise<ExitCode> {
  const wanted = [...ids]
  if (ids.length === 0) for await (const { id } of queue.dead()) wanted.push(id)
  let revived = 0
  for (const id of wanted) {
    if (await queue.redeliver(id)) revived += 1
    else note(io, `isopod: no webhook of ${visible(id)} was given up, or its result has expired`)
  }
  note(io, `isopod: ${revived} of ${wanted.length} to be tried again`)
  return revived === wanted.length ? EXIT.success : EXIT.failure
}

async function showSecret(io: Io, tenant: string): Promise<ExitCode> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(tenant)) {
    throw new UsageError(
      `--tenant: must be 1 to 64 characters of a-z, A-Z, 0-9, ".", "_" and "-", got ${JSON.stringify(tenant)}`,
    )
  }
  const secrets = parsed(await webhookSecret(io.env))
  if (!io.env[SECRET_VARIABLE]) {
    note(
      io,
      `isopod: of «isopod up» in this checkout; for another deployment set ${SECRET_VARIABLE} as its gateways do`,
    )
  }
  await write(io.stdout, `${secrets.secretOf(tenant)}\n`)
  return EXIT.success
}

async function rotate(io: Io): Promise<ExitCode> {
  const [current = ''] = (await webhookSecret(io.env)).split(',')
  const next = `${newWebhookSecret()},${current.trim()}`
  parsed(next)
  if (io.env[SECRET_VARIABLE]) {
    note(io, `isopod: set ${SECRET_VARIABLE} of every gateway to this and restart them:`)
    await write(io.stdout, `${next}\n`)
    return EXIT.success
  }
  await keepWebhookSecret(io.env, next)
  note(
    io,
    'isopod: made a new secret; restart «isopod up», and give receivers what «isopod webhooks secret» prints',
  )
  return EXIT.success
}

function parsed(text: string): WebhookSecrets {
  try {
    return new WebhookSecrets(text)
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${SECRET_VARIABLE}: ${error.message}`)
    throw error
  }
}

function shown({ at, finishedAt, error, ...webhook }: ListedWebhook): Record<string, unknown> {
  return {
    ...webhook,
    finishedAt: new Date(finishedAt).toISOString(),
    [webhook.state === 'dead' ? 'givenUpAt' : 'nextTryAt']: new Date(at).toISOString(),
    error: error ?? null,
  }
}

/** One line of the list. Omits the query of the URL, which may hold secrets. */
function lineOf({ id, state, tenant, tries, at, url, error = '' }: ListedWebhook): string {
  const when = new Date(at).toISOString().slice(0, 19)
  const where = url.replace(/[?#].*/s, '')
  const text = `${id}  ${state.padEnd(7)} ${when}  ${tenant}  tries ${tries}  ${where}  ${error}`
  return `${visible(text.trimEnd())}\n`
}

async function withQueue(
  io: Io,
  services: Services,
  use: (queue: WebhookQueue) => Promise<ExitCode>,
): Promise<ExitCode> {
  const queue = await services.openWebhooks(await redisUrl(io, services), io.env)
  try {
    return await use(queue)
  } finally {
    queue.close()
  }
}

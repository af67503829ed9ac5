import { ConfigError, visible } from '@isopod/protocol'
import { EXIT, type ExitCode, UsageError } from '@isopod/service-kit'
import { type ListedWebhook, newWebhookSecret, type WebhookQueue, WebhookSecrets } from '@isopod/webhooks'
import { type Io, note, type Output, write } from '../io.ts'
import { plainName } from '../option-values.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'
import { keepWebhookSecret, SECRET_VARIABLE, webhookSecret } from '../webhook-secret.ts'
import { redisUrl } from '../with-client.ts'

interface JsonOption {
  readonly json?: boolean
}

/** `isopod webhooks list`: lists failed webhooks, and pending ones. */
export async function listWebhooks(
  io: Io,
  services: Services,
  { failed, json }: JsonOption & { readonly failed?: boolean },
): Promise<ExitCode> {
  return await withQueue(io, services, async (queue) => {
    let count = 0
    for (const listed of failed ? [queue.dead()] : [queue.dead(), queue.waiting()]) {
      for await (const webhook of listed) {
        count += 1
        await write(io.stdout, json ? jsonLine(shown(webhook)) : webhookText(webhook, io.stdout))
      }
    }
    if (count === 0) note(io, failed ? 'isopod: no failed webhooks' : 'isopod: no failed or pending webhooks')
    return EXIT.success
  })
}

/** `isopod webhooks redeliver`: retries failed webhooks. */
export async function redeliverWebhooks(
  io: Io,
  services: Services,
  ids: readonly string[],
  { all = false, json }: JsonOption & { readonly all?: boolean },
): Promise<ExitCode> {
  if (all === ids.length > 0) throw new UsageError('webhooks redeliver: must have ids or --all')
  return await withQueue(io, services, async (queue) => {
    const wanted = [...ids]
    if (all) for await (const { id } of queue.dead()) wanted.push(id)
    let revived = 0
    for (const id of wanted) {
      const isRevived = await queue.redeliver(id)
      if (isRevived) revived += 1
      if (json) await write(io.stdout, jsonLine({ id, redelivered: isRevived }))
      else if (!isRevived) note(io, `isopod: ${id} has no failed webhook, or its result has expired`)
    }
    if (!json) note(io, `isopod: retrying ${revived} of ${wanted.length} webhooks`)
    return revived === wanted.length ? EXIT.success : EXIT.failure
  })
}

/** `isopod webhooks secret`: prints the secret with which a tenant verifies signatures. */
export async function showWebhookSecret(
  io: Io,
  { tenant, json }: JsonOption & { readonly tenant: string },
): Promise<ExitCode> {
  plainName('--tenant', tenant, 64)
  const secret = parsed(await webhookSecret(io.env)).secretOf(tenant)
  if (!io.env[SECRET_VARIABLE]) {
    note(
      io,
      `isopod: this is the secret of "isopod up" in this checkout; for another deployment set ${SECRET_VARIABLE} as on its gateways`,
    )
  }
  await write(io.stdout, json ? jsonLine({ tenant, secret }) : `${secret}\n`)
  return EXIT.success
}

/** `isopod webhooks rotate`: makes a new secret; the previous one also signs until the next rotation. */
export async function rotateWebhookSecret(io: Io, { json }: JsonOption): Promise<ExitCode> {
  const [current = ''] = (await webhookSecret(io.env)).split(',')
  const next = `${newWebhookSecret()},${current.trim()}`
  parsed(next)
  if (io.env[SECRET_VARIABLE]) {
    note(io, `isopod: set ${SECRET_VARIABLE} of every gateway to this and restart them:`)
    await write(io.stdout, json ? jsonLine({ setting: next }) : `${next}\n`)
    return EXIT.success
  }
  await keepWebhookSecret(io.env, next)
  note(
    io,
    'isopod: made a new secret; restart "isopod up", and give receivers what "isopod webhooks secret" prints',
  )
  if (json) await write(io.stdout, jsonLine({ setting: null }))
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

/** An entry of the list: one line, or two on a terminal. Omits the query of the URL, which may hold secrets. */
function webhookText(
  { id, state, tenant, tries, at, url, error = '' }: ListedWebhook,
  { isTTY }: Output,
): string {
  const when = new Date(at).toISOString().slice(0, 19)
  const first = `${id}  ${state.padEnd(7)} ${when}  ${tenant}  tries ${tries}`
  const second = `  ${url.replace(/[?#].*/s, '')}  ${error}`
  return `${visible(first)}${isTTY ? '\n' : ''}${visible(second.trimEnd())}\n`
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

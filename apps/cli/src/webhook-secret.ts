import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stackPaths } from '@isopod/devstack'
import { ConfigError } from '@isopod/protocol'
import { newWebhookSecret } from '@isopod/webhooks'

/** The gateway's setting of the secret. */
export const SECRET_VARIABLE = 'ISOPOD_GATEWAY_WEBHOOK_SECRET'

/**
 * The secret that signs webhooks: the gateway's setting if the environment has it, else the secret of this checkout's stack,
 * which is generated when it is first needed.
 *
 * @returns one `whsec_…` or several separated by commas, the current one first
 */
export async function webhookSecret(env: NodeJS.ProcessEnv): Promise<string> {
  const given = env[SECRET_VARIABLE]
  if (given) return given
  const file = secretFile(env)
  await makeSecret(env, file)
  return (await readFile(file, 'utf8')).trim()
}

async function makeSecret(env: NodeJS.ProcessEnv, file: string): Promise<void> {
  try {
    await mkdir(stackPaths(env).state, { recursive: true, mode: 0o700 })
    await writeFile(file, newWebhookSecret(), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') return
    throw new ConfigError(`${SECRET_VARIABLE}: is not set, and ${file} cannot be made (${String(code)})`, {
      cause: error,
    })
  }
}

/** Stores the secrets with which the stack of this checkout signs from its next start on. */
export async function keepWebhookSecret(env: NodeJS.ProcessEnv, text: string): Promise<void> {
  const draft = `${secretFile(env)}.${process.pid}`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, secretFile(env))
}

function secretFile(env: NodeJS.ProcessEnv): string {
  return join(stackPaths(env).state, 'webhook-secret')
}

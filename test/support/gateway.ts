import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Access, openAccess } from '@isopod/access'
import { type ServiceProcess, startGateway } from '@isopod/devstack'

/** A running gateway process, for specs. */
export interface Gateway {
  readonly url: string
  readonly process: ServiceProcess
  /** Keys and budgets of the gateway's deployment. */
  readonly access: Access
  /** Resolves once requests need a key. A gateway without keys checks once a second whether there is one. */
  asksForKeys(): Promise<void>
  /** Its log so far. */
  log(): Promise<string>
  close(): Promise<void>
}

/** Starts a gateway on the queue with that prefix. */
export async function startTestGateway(
  queue: { readonly redisUrl: string; readonly prefix: string },
  env: NodeJS.ProcessEnv = {},
): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'isopod-gateway-'))
  const log = join(folder, 'gateway.log')
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  const { redisUrl, prefix } = queue
  const process_ = await startGateway({
    redisUrl,
    log,
    env: { ...process.env, ISOPOD_QUEUE_PREFIX: prefix, ...env },
  }).catch(async (error) => {
    await removeFolder()
    throw error
  })
  const access = await openAccess({ url: redisUrl, prefix })
  return {
    url: process_.url,
    process: process_,
    access,
    async asksForKeys() {
      while ((await fetch(`${process_.url}/v1/queue`)).status !== 401) await sleep(50)
    },
    log: () => readFile(log, 'utf8'),
    async close() {
      access.close()
      await process_.stop()
      await removeFolder()
    },
  }
}

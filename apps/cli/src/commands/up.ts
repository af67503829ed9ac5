import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceProcess, Stack } from '@isopod/devstack'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import { aborted, interruptible } from '../interrupt.ts'
import { type Io, note, write } from '../io.ts'
import type { Services } from '../services.ts'
import { UsageError } from '../usage-error.ts'

/** That of the service plan. */
const GATEWAY_PORT = 8007
/** How often a running stack is looked at, in milliseconds. */
const LOOK_INTERVAL_MS = 2_000

/** `isopod up`: the whole stack in the foreground, until Ctrl-C takes it down again. */
export async function upCommand(
  io: Io,
  services: Services,
  options: { readonly workers?: string; readonly port?: string },
): Promise<ExitCode> {
  const workers = workerCount(options.workers ?? '1')
  const port = gatewayPort(options.port ?? String(GATEWAY_PORT))
  const log = (line: string) => note(io, `isopod: ${line}`)
  const { env } = io
  return await interruptible(async (signal) => {
    let gateway: ServiceProcess | undefined
    try {
      const stack = await services.ensureStack({ env, workers, log })
      if (signal.aborted) return EXIT.success
      gateway = await services.startGateway({ env, redisUrl: stack.redis.url, port })
      if (signal.aborted) return EXIT.success
      await write(io.stdout, addresses(stack, gateway.url))
      if (await stays(signal, () => services.findStack(env))) return EXIT.success
      log('the stack is gone: another command stopped it, or a part of it died')
      return EXIT.platform
    } finally {
      await gateway?.stop()
      // Also after a start that failed half-way: nothing of it is of use to anyone.
      await services.stackDown({ env, purge: false, log })
    }
  })
}

/**
 * Waits for the signal, and looks meanwhile whether the stack is still there.
 *
 * @returns false if it was not, twice in a row
 */
async function stays(signal: AbortSignal, find: () => Promise<Stack | undefined>): Promise<boolean> {
  const interrupted = aborted(signal).then(() => true)
  for (let misses = 0; misses < 2; ) {
    if (await Promise.race([interrupted, sleep(LOOK_INTERVAL_MS, false)])) return true
    misses = (await find()) === undefined ? misses + 1 : 0
  }
  return signal.aborted
}

/** `isopod down`: stops and removes what any command of this checkout has started. */
export async function downCommand(
  io: Io,
  services: Services,
  options: { readonly purge?: boolean },
): Promise<ExitCode> {
  let said = false
  const log = (line: string) => {
    said = true
    note(io, `isopod: ${line}`)
  }
  await services.stackDown({ env: io.env, purge: options.purge ?? false, log })
  if (!said) log('nothing was running')
  return EXIT.success
}

function addresses(stack: Stack, api: string): string {
  const lines = [
    `page     ${api}`,
    `API      ${api} (reference: ${api}/docs)`,
    `Redis    ${stack.redis.url}`,
    `engine   ${stack.engine.dockerHost}`,
    ...stack.workers.map(({ url }) => `metrics  ${url}/metrics`),
    'Ctrl-C stops it all.',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function workerCount(value: string): number {
  if (/^([1-9]|[1-5]\d|6[0-4])$/.test(value)) return Number(value)
  throw new UsageError(`--workers: must be a whole number from 1 to 64, got ${JSON.stringify(value)}`)
}

function gatewayPort(value: string): number {
  if (/^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65_535) return Number(value)
  throw new UsageError(`--port: must be a whole number from 1 to 65535, got ${JSON.stringify(value)}`)
}

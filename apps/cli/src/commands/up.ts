import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceProcess, Stack } from '@isopod/devstack'
import { EXIT, type ExitCode } from '@isopod/service-kit'
import { aborted, interruptible } from '../interrupt.ts'
import { type Io, note, write } from '../io.ts'
import { portNumber, wholeNumber } from '../option-values.ts'
import type { Services } from '../services.ts'
import { jsonLine } from '../terminal/show-result.ts'

/** Default port of the HTTP API, from the service plan. */
const GATEWAY_PORT = '8007'
/** Maximum number of workers that one command may start. */
const MAX_WORKERS = 64
/** How often a running stack is checked, in milliseconds. */
const CHECK_INTERVAL_MS = 2_000

/** `isopod up`: runs the whole stack in the foreground until Ctrl-C. */
export async function upCommand(
  io: Io,
  services: Services,
  options: { readonly workers?: string; readonly port?: string; readonly json?: boolean },
): Promise<ExitCode> {
  const workers = wholeNumber('--workers', options.workers ?? '1', MAX_WORKERS)
  const port =
    options.port === undefined && io.env['PORT']
      ? portNumber('PORT', io.env['PORT'])
      : portNumber('--port', options.port ?? GATEWAY_PORT)
  const log = (line: string) => note(io, `isopod: ${line}`)
  const { env } = io
  return await interruptible(async (signal) => {
    let gateway: ServiceProcess | undefined
    // What another command has started stays if this one cannot start.
    const found = await services.findStack(env)
    try {
      const stack = await services.ensureStack({ env, workers, log })
      if (signal.aborted) return EXIT.success
      gateway = await services.startGateway({ env, redisUrl: stack.redis.url, ...(port > 0 && { port }) })
      if (signal.aborted) return EXIT.success
      await write(
        io.stdout,
        options.json ? jsonLine(addresses(stack, gateway.url)) : addressText(stack, gateway.url),
      )
      if (await stays(signal, () => services.findStack(env))) return EXIT.success
      log('the stack is gone: another command stopped it, or a part of it died')
      return EXIT.platform
    } finally {
      await gateway?.stop()
      // Also after a failed start, which may leave parts of the stack running.
      if (gateway !== undefined || found === undefined) await services.stackDown({ env, purge: false, log })
    }
  })
}

/**
 * Waits for the signal, and checks meanwhile that the stack is still running.
 *
 * @returns false if two checks in a row did not find the stack
 */
async function stays(signal: AbortSignal, find: () => Promise<Stack | undefined>): Promise<boolean> {
  const interrupted = aborted(signal).then(() => true)
  for (let misses = 0; misses < 2; ) {
    if (await Promise.race([interrupted, sleep(CHECK_INTERVAL_MS, false)])) return true
    misses = (await find()) === undefined ? misses + 1 : 0
  }
  return signal.aborted
}

/** `isopod down`: stops and removes what any command of this checkout has started. */
export async function downCommand(
  io: Io,
  services: Services,
  options: { readonly purge?: boolean; readonly json?: boolean },
): Promise<ExitCode> {
  const done: string[] = []
  const log = (line: string) => {
    done.push(line)
    if (!options.json) note(io, `isopod: ${line}`)
  }
  await services.stackDown({ env: io.env, purge: options.purge ?? false, log })
  if (options.json) await write(io.stdout, jsonLine({ done }))
  else if (done.length === 0) note(io, 'isopod: nothing was running')
  return EXIT.success
}

function addresses(stack: Stack, api: string) {
  return {
    page: api,
    reference: `${api}/docs`,
    redis: stack.redis.url,
    driver: stack.engine === undefined ? 'process' : 'docker',
    ...(stack.engine && { engine: stack.engine.dockerHost }),
    metrics: stack.workers.map(({ url }) => `${url}/metrics`),
  }
}

function addressText(stack: Stack, api: string): string {
  const { page, reference, redis, driver, engine, metrics } = addresses(stack, api)
  const lines = [
    `page     ${page}`,
    `API      ${page} (reference: ${reference})`,
    `Redis    ${redis}`,
    engine === undefined ? `driver   ${driver}` : `engine   ${engine}`,
    ...metrics.map((url) => `metrics  ${url}`),
    'Ctrl-C stops it all.',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

import { checkPort, startOnFreePort } from './free-port.ts'
import { type ServiceProcess, startService } from './service-process.ts'

/** Options of {@link startGateway}. */
export interface GatewayOptions {
  readonly redisUrl: string
  /** Log file, one JSON object per line; overwritten. */
  readonly log: string
  /** @default a free port */
  readonly port?: number
  /** Further settings of the gateway. @default process.env */
  readonly env?: NodeJS.ProcessEnv
  /** Timeout for the start, in milliseconds. @default 60000 */
  readonly deadlineMs?: number
}

/**
 * Starts one gateway on loopback; it ends with this process.
 *
 * @throws {SetupError} if the port is in use, or with the last lines of its log
 */
export async function startGateway(options: GatewayOptions): Promise<ServiceProcess> {
  const { redisUrl, log, port: wanted, deadlineMs, env = process.env } = options
  const start = (port: number) =>
    startService({
      app: 'gateway',
      env: { ISOPOD_BIND: '127.0.0.1', ...env, REDIS_URL: redisUrl, PORT: String(port) },
      port,
      log,
      ...(deadlineMs !== undefined && { deadlineMs }),
    })
  if (wanted === undefined) return await startOnFreePort(start)
  await checkPort(wanted)
  return await start(wanted)
}

import { freePort } from './free-port.ts'
import { type ServiceProcess, startService } from './service-process.ts'

/** What a gateway is started with. */
export interface GatewayOptions {
  readonly redisUrl: string
  /** Gets the gateway's log, one JSON object a line; overwritten. */
  readonly log: string
  /** @default any free one */
  readonly port?: number
  /** The gateway's settings beside these. @default process.env */
  readonly env?: NodeJS.ProcessEnv
  /** How long it may take to be ready. @default 60 s */
  readonly deadlineMs?: number
}

/** Starts one gateway on loopback; it ends with this process. @throws {SetupError} with the last lines of its log */
export async function startGateway(options: GatewayOptions): Promise<ServiceProcess> {
  const { redisUrl, log, deadlineMs, env = process.env } = options
  const port = options.port ?? (await freePort())
  return await startService({
    app: 'gateway',
    env: { ISOPOD_BIND: '127.0.0.1', ...env, REDIS_URL: redisUrl, PORT: String(port) },
    port,
    log,
    ...(deadlineMs !== undefined && { deadlineMs }),
  })
}

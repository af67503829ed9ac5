import { freePort } from './free-port.ts'
import { type ServiceProcess, startService } from './service-process.ts'

/** The path of the stack is no setting of a worker. */
const NOT_INHERITED = ['ISOPOD_STATE_DIR']

/** What a worker is started with. */
export interface WorkerOptions {
  readonly redisUrl: string
  readonly dockerHost: string
  /** Gets the worker's log, one JSON object a line; overwritten. */
  readonly log: string
  /** Labels its containers `isopod.stack`. */
  readonly stack?: string
  /** The worker's settings beside these. @default process.env */
  readonly env?: NodeJS.ProcessEnv
  /** Let the worker outlive this process. @default false */
  readonly detached?: boolean
  /** How long it may take to be ready. @default 60 s */
  readonly deadlineMs?: number
  /** File that starts it. @default the launcher of this checkout */
  readonly launcher?: string
}

/** A worker process that is ready for jobs. */
export type WorkerProcess = ServiceProcess

/**
 * Starts one worker process on a free port and waits until it says that it is ready.
 *
 * @throws {SetupError} when it ends before, or is not ready in time; the last lines of its log follow
 */
export async function startWorker(options: WorkerOptions): Promise<WorkerProcess> {
  const { log, detached, deadlineMs, launcher } = options
  const port = await freePort()
  return await startService({
    app: 'worker',
    env: workerEnvironment(port, options),
    port,
    log,
    ...(detached !== undefined && { detached }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(launcher !== undefined && { launcher }),
  })
}

function workerEnvironment(port: number, options: WorkerOptions): NodeJS.ProcessEnv {
  const given = options.env ?? process.env
  const inherited = Object.entries(given).filter(([name]) => !NOT_INHERITED.includes(name))
  return {
    ...Object.fromEntries(inherited),
    // Drained jobs go back to the queue; half a minute, as on a server, is too long at a terminal.
    ISOPOD_DRAIN_SECONDS: given['ISOPOD_DRAIN_SECONDS'] ?? '10',
    ISOPOD_BIND: '127.0.0.1',
    REDIS_URL: options.redisUrl,
    DOCKER_HOST: options.dockerHost,
    PORT: String(port),
    ...(options.stack === undefined ? {} : { ISOPOD_STACK: options.stack }),
  }
}

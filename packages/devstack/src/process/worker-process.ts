import { startOnFreePort } from './free-port.ts'
import { type ServiceProcess, startService } from './service-process.ts'

/** Variables that are not settings of a worker. */
const NOT_INHERITED = ['ISOPOD_STATE_DIR']

/** Options of {@link startWorker}. */
export interface WorkerOptions {
  readonly redisUrl: string
  /** Address of the engine, unless the settings choose a driver without one. */
  readonly dockerHost?: string | undefined
  /** Log file, one JSON object per line; overwritten. */
  readonly log: string
  /** Value of the label `isopod.stack` on its containers. */
  readonly stack?: string
  /** Further settings of the worker. @default process.env */
  readonly env?: NodeJS.ProcessEnv
  /** Whether the worker outlives this process. @default false */
  readonly detached?: boolean
  /** Timeout for the start, in milliseconds. @default 60000 */
  readonly deadlineMs?: number
  /** The launcher. @default this checkout's */
  readonly launcher?: string
}

/** A worker process that takes jobs. */
export type WorkerProcess = ServiceProcess

/**
 * Starts one worker process on a free port and waits until it is ready.
 *
 * @throws {SetupError} with the last lines of its log if it ends, or is not ready in time
 */
export async function startWorker(options: WorkerOptions): Promise<WorkerProcess> {
  const { log, detached, deadlineMs, launcher } = options
  return await startOnFreePort((port) =>
    startService({
      app: 'worker',
      env: workerEnvironment(port, options),
      port,
      log,
      ...(detached !== undefined && { detached }),
      ...(deadlineMs !== undefined && { deadlineMs }),
      ...(launcher !== undefined && { launcher }),
    }),
  )
}

function workerEnvironment(port: number, options: WorkerOptions): NodeJS.ProcessEnv {
  const given = options.env ?? process.env
  const inherited = Object.entries(given).filter(([name]) => !NOT_INHERITED.includes(name))
  return {
    ...Object.fromEntries(inherited),
    // A server's default of half a minute is too long at a terminal. Interrupted jobs are requeued.
    ISOPOD_DRAIN_SECONDS: given['ISOPOD_DRAIN_SECONDS'] ?? '10',
    ISOPOD_BIND: '127.0.0.1',
    REDIS_URL: options.redisUrl,
    ...(options.dockerHost === undefined ? {} : { DOCKER_HOST: options.dockerHost }),
    PORT: String(port),
    ...(options.stack === undefined ? {} : { ISOPOD_STACK: options.stack }),
  }
}

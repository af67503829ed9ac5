import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { CHECKOUT } from './places.ts'
import { endProcess, identifyProcess, type ProcessIdentity } from './process-identity.ts'
import { lastLines } from './run-command.ts'
import { SetupError } from './setup-error.ts'

const START_DEADLINE_MS = 60_000
const STOP_GRACE_MS = 40_000
/** Where this stack lies is no setting of a worker. */
const NOT_INHERITED = ['ISOPOD_STATE_DIR']

/**
 * How Node runs a worker. By the size of the host alone it would let garbage lie until the worker has 300 MB and more; with
 * these it stays at half of that, no slower. The service image and the README start it in the same way.
 */
export const WORKER_NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=2',
  '--max-old-space-size=1024',
  '--heap-growing-percent=20',
]

/** What Node finds in a worker's environment, for the same reason: else each of its threads keeps memory of its own. */
export const WORKER_NODE_ENV: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1' }

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
}

/** A worker process that is ready for jobs. */
export interface WorkerProcess {
  readonly process: ProcessIdentity
  /** Base of `/metrics`, `/healthz` and `/readyz`. */
  readonly url: string
  /** SIGTERM, a grace of 40 s, SIGKILL; resolves when it is gone, and changes nothing the second time. */
  stop(): Promise<void>
}

/**
 * Starts one worker process on a free port and waits until it says that it is ready.
 *
 * @throws {SetupError} when it ends before, or is not ready in time; the last lines of its log follow
 */
export async function startWorker(options: WorkerOptions): Promise<WorkerProcess> {
  const main = join(CHECKOUT, 'apps', 'worker', 'dist', 'main.js')
  await access(main).catch(() => {
    throw new SetupError('the worker is not built; run: npm run setup')
  })
  const port = await freePort()
  const child = await launch(main, port, options)
  const url = `http://127.0.0.1:${port}`
  const identity = identifyProcess(child.pid ?? 0)
  try {
    await untilReady(child, url, options)
  } catch (error) {
    if (identity) await endProcess(identity, 2000)
    throw error
  }
  if (identity === undefined) throw new SetupError('the worker ended right after it was ready')
  if (options.detached) child.unref()
  let stopping: Promise<void> | undefined
  return {
    process: identity,
    url,
    stop() {
      stopping ??= endProcess(identity, STOP_GRACE_MS).then(() => undefined)
      return stopping
    },
  }
}

/**
 * Asks a worker whether it takes jobs.
 *
 * @returns undefined when it does, else why not, as the end of a sentence; never throws
 */
export async function workerTrouble(url: string, deadlineMs = 2000): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(deadlineMs),
      headers: { connection: 'close' },
    })
    const body = await answer.text()
    return answer.ok ? undefined : `is not ready: ${body.slice(0, 500)}`
  } catch {
    return 'does not answer'
  }
}

async function launch(main: string, port: number, options: WorkerOptions): Promise<ChildProcess> {
  await mkdir(dirname(options.log), { recursive: true, mode: 0o700 })
  const log = await open(options.log, 'w', 0o600)
  try {
    const child = spawn(process.execPath, [...WORKER_NODE_FLAGS, main], {
      cwd: CHECKOUT,
      detached: options.detached ?? false,
      env: workerEnvironment(port, options),
      stdio: ['ignore', log.fd, log.fd],
    })
    await once(child, 'spawn')
    return child
  } finally {
    await log.close()
  }
}

function workerEnvironment(port: number, options: WorkerOptions): NodeJS.ProcessEnv {
  const given = options.env ?? process.env
  const inherited = Object.entries(given).filter(([name]) => !NOT_INHERITED.includes(name))
  return {
    ...WORKER_NODE_ENV,
    ...Object.fromEntries(inherited),
    // Drained jobs go back to the queue; nobody at a terminal wants to wait the server's half minute for that.
    ISOPOD_DRAIN_SECONDS: given['ISOPOD_DRAIN_SECONDS'] ?? '10',
    ISOPOD_BIND: '127.0.0.1',
    REDIS_URL: options.redisUrl,
    DOCKER_HOST: options.dockerHost,
    PORT: String(port),
    ...(options.stack === undefined ? {} : { ISOPOD_STACK: options.stack }),
  }
}

async function untilReady(child: ChildProcess, url: string, options: WorkerOptions): Promise<void> {
  const deadlineMs = options.deadlineMs ?? START_DEADLINE_MS
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const ended = child.exitCode !== null || child.signalCode !== null
    const trouble = ended ? 'ended before it was ready' : await workerTrouble(url)
    if (trouble === undefined) return
    if (ended || performance.now() > deadline) {
      const words = lastLines(await readFile(options.log, 'utf8').catch(() => ''), 8)
      const wait = ended ? '' : ` after ${deadlineMs / 1000} s`
      throw new SetupError(`the worker ${trouble}${wait}; the end of ${options.log}:\n${words}`)
    }
    await sleep(50)
  }
}

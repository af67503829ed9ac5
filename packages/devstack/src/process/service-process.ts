import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CHECKOUT } from '../paths.ts'
import { lastLines } from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import { endProcess, identifyProcess, type ProcessIdentity } from './process-identity.ts'

const START_DEADLINE_MS = 60_000
const STOP_GRACE_MS = 40_000

/** Options of {@link startService}. */
export interface ServiceOptions {
  /** Folder below `apps`, and its name in messages. */
  readonly app: 'worker' | 'gateway'
  readonly env: NodeJS.ProcessEnv
  /** Port of its `/readyz` on loopback. */
  readonly port: number
  /** Log file, one JSON object per line; overwritten. */
  readonly log: string
  /** Whether it outlives this process. @default false */
  readonly detached?: boolean
  /** Timeout for the start, in milliseconds. @default 60000 */
  readonly deadlineMs?: number
  /** The launcher. @default the app's own */
  readonly launcher?: string
}

/** A process that is ready. */
export interface ServiceProcess {
  readonly process: ProcessIdentity
  /** Base of `/metrics`, `/healthz` and `/readyz`. */
  readonly url: string
  /** Sends SIGTERM, and SIGKILL after 40 s. Resolves when it has ended. Idempotent. */
  stop(): Promise<void>
}

/**
 * Starts one process and waits until it is ready.
 *
 * @throws {SetupError} with the last lines of its log if it ends, or is not ready in time
 */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const { app, port, launcher = join(CHECKOUT, 'apps', app, 'bin', `isopod-${app}.js`) } = options
  const child = await launch(launcher, options)
  const url = `http://127.0.0.1:${port}`
  const identity = identifyProcess(child.pid ?? 0)
  try {
    await untilReady(child, url, options)
  } catch (error) {
    if (identity) await endProcess(identity, 2000)
    throw error
  }
  if (identity === undefined) throw new SetupError(`the ${app} ended right after it was ready`)
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
 * Checks whether a process is ready.
 *
 * @returns undefined if it is, else the reason, as the end of a sentence; never throws
 */
export async function checkService(url: string, deadlineMs = 2000): Promise<string | undefined> {
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

async function launch(launcher: string, options: ServiceOptions): Promise<ChildProcess> {
  await mkdir(dirname(options.log), { recursive: true, mode: 0o700 })
  const log = await open(options.log, 'w', 0o600)
  try {
    const child = spawn(process.execPath, [launcher], {
      cwd: CHECKOUT,
      detached: options.detached ?? false,
      env: options.env,
      stdio: ['ignore', log.fd, log.fd],
    })
    await once(child, 'spawn')
    return child
  } finally {
    await log.close()
  }
}

async function untilReady(child: ChildProcess, url: string, options: ServiceOptions): Promise<void> {
  const deadlineMs = options.deadlineMs ?? START_DEADLINE_MS
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const ended = child.exitCode !== null || child.signalCode !== null
    const problem = ended ? 'ended before it was ready' : await checkService(url)
    if (problem === undefined) return
    if (ended || performance.now() > deadline) {
      const logTail = lastLines(await readFile(options.log, 'utf8').catch(() => ''), 8)
      const wait = ended ? '' : ` after ${deadlineMs / 1000} s`
      throw new SetupError(`the ${options.app} ${problem}${wait}; the end of ${options.log}:\n${logTail}`)
    }
    await sleep(50)
  }
}

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

/** One of our processes, and what it is started with. */
export interface ServiceOptions {
  /** Folder below `apps`, and its name in messages. */
  readonly app: 'worker' | 'gateway'
  readonly env: NodeJS.ProcessEnv
  /** Where its `/readyz` is, on loopback. */
  readonly port: number
  /** Gets its log, one JSON object a line; overwritten. */
  readonly log: string
  /** Let it outlive this process. @default false */
  readonly detached?: boolean
  /** How long it may take to be ready. @default 60 s */
  readonly deadlineMs?: number
  /** File that starts it. @default the app's own launcher */
  readonly launcher?: string
}

/** A process that is ready. */
export interface ServiceProcess {
  readonly process: ProcessIdentity
  /** Base of `/metrics`, `/healthz` and `/readyz`. */
  readonly url: string
  /** SIGTERM, a grace of 40 s, SIGKILL; resolves when it is gone, and changes nothing the second time. */
  stop(): Promise<void>
}

/**
 * Starts one process and waits until it says that it is ready.
 *
 * @throws {SetupError} when it ends before, or is not ready in time; the last lines of its log follow
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
 * Asks a process whether it can do its work.
 *
 * @returns undefined when it can, else why not, as the end of a sentence; never throws
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
    const trouble = ended ? 'ended before it was ready' : await checkService(url)
    if (trouble === undefined) return
    if (ended || performance.now() > deadline) {
      const words = lastLines(await readFile(options.log, 'utf8').catch(() => ''), 8)
      const wait = ended ? '' : ` after ${deadlineMs / 1000} s`
      throw new SetupError(`the ${options.app} ${trouble}${wait}; the end of ${options.log}:\n${words}`)
    }
    await sleep(50)
  }
}

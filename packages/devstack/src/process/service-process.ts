import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CHECKOUT } from '../paths.ts'
import { lastLines } from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import { PortTakenError } from './free-port.ts'
import { endProcess, identifyProcess, type ProcessIdentity } from './process-identity.ts'

const START_DEADLINE_MS = 60_000
const STOP_GRACE_MS = 40_000
const ANSWER_DEADLINE_MS = 2000

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
 * @throws {PortTakenError} if another process answers on the port
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
 * @param pid its process id; another process that answers in its place counts as no answer
 * @returns undefined if it is, else the reason, as the end of a sentence; never throws
 */
export async function checkService(url: string, pid: number): Promise<string | undefined> {
  const answer = await askReadiness(url)
  if (answer?.pid !== pid) return 'does not answer'
  return answer.ok ? undefined : `is not ready: ${answer.text}`
}

/** What answers `/readyz` at a URL. */
interface ReadinessAnswer {
  readonly ok: boolean
  /** Absent if the answer is not one of a service. */
  readonly pid: number | undefined
  /** At most 500 characters. */
  readonly text: string
}

async function askReadiness(url: string): Promise<ReadinessAnswer | undefined> {
  try {
    const answer = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(ANSWER_DEADLINE_MS),
      headers: { connection: 'close' },
    })
    const text = await answer.text()
    return { ok: answer.ok, pid: pidIn(text), text: text.slice(0, 500) }
  } catch {
    return undefined
  }
}

function pidIn(text: string): number | undefined {
  try {
    return (JSON.parse(text) as { pid?: number } | null)?.pid
  } catch {
    return undefined
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
  const { app, port, deadlineMs = START_DEADLINE_MS } = options
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const answer = await askReadiness(url)
    if (answer !== undefined && answer.pid !== child.pid) throw new PortTakenError(app, port)
    if (answer?.ok) return
    const ended = child.exitCode !== null || child.signalCode !== null
    if (ended || performance.now() > deadline) {
      const logTail = lastLines(await readFile(options.log, 'utf8').catch(() => ''), 8)
      const problem = ended
        ? 'ended before it was ready'
        : `${answer ? `is not ready: ${answer.text}` : 'does not answer'} after ${deadlineMs / 1000} s`
      throw new SetupError(`the ${app} ${problem}; the end of ${options.log}:\n${logTail}`)
    }
    await sleep(50)
  }
}

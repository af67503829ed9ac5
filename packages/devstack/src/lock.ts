import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'
import { identifyProcess, isRunning, type ProcessIdentity } from './process/process-identity.ts'
import { SetupError } from './setup-error.ts'

// Not proper-lockfile: two waiters can both replace a dead holder, and a suspended holder counts as dead.

const POLL_MS = 50

/** The process that holds a lock, as its file names it. */
interface Holder extends ProcessIdentity {
  /** Its command line, shortened: `isopod demo`. */
  readonly command: string
  /** Time of the lock, in ISO 8601. */
  readonly since: string
}

/** The content of a lock file. Isopod never writes a damaged one. */
type Found = Holder | 'absent' | 'damaged'

/**
 * Runs `work` while no other process runs under the same lock file. A lock whose holder has died is broken.
 *
 * @param options.log receives one line if it has to wait: the command that holds the lock, its process and since when
 * @throws {SetupError} if a live holder does not release it within `waitMs` (default 15 minutes)
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  options: { log?: Log; waitMs?: number } = {},
): Promise<T> {
  await acquire(file, options.log, options.waitMs ?? 900_000)
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}

async function acquire(file: string, log: Log | undefined, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs
  let logged = false
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  while (!(await take(file))) {
    const found = await readHolder(file)
    // The holder has released it.
    if (found === 'absent') continue
    if (found === 'damaged' || !isRunning(found)) {
      await breakLock(file, found)
      continue
    }
    if (!logged) log?.(`waiting for ${described(found)}`)
    logged = true
    if (performance.now() > deadline) {
      throw new SetupError(`${described(found)} holds ${file}; end it and try again`)
    }
    await sleep(POLL_MS)
  }
}

/** For example `isopod demo (process 4711, since 14:02:33)`, in local time. */
function described({ command, pid, since }: Holder): string {
  return `${command} (process ${pid}, since ${new Date(since).toTimeString().slice(0, 8)})`
}

/** The program and its first argument. Further arguments can be secrets. */
function ownCommand([, script = 'node', first]: readonly string[]): string {
  const program = basename(script).replace(/\.[cm]?[jt]s$/, '')
  return first === undefined || first.startsWith('/') ? program : `${program} ${first}`
}

/** Creates the lock as a hard link, so that no waiter reads an incomplete file. @returns whether it was free */
async function take(file: string): Promise<boolean> {
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  const since = new Date().toISOString()
  const holder = { ...identifyProcess(process.pid), command: ownCommand(process.argv), since }
  await writeFile(draft, JSON.stringify(holder), { mode: 0o600 })
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Removes the lock of a dead holder. Only one process at a time may do this, and it reads the lock again first: another
 * process may have removed it, and a third one taken it.
 */
async function breakLock(file: string, dead: Found): Promise<void> {
  const gate = `${file}.breaking`
  if (!(await take(gate))) {
    const breaker = await readHolder(gate)
    if (breaker === 'damaged' || (breaker !== 'absent' && !isRunning(breaker)))
      await rm(gate, { force: true })
    else await sleep(POLL_MS)
    return
  }
  try {
    if (isSame(await readHolder(file), dead)) await rm(file, { force: true })
  } finally {
    await rm(gate, { force: true })
  }
}

function isSame(one: Found, other: Found): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other
  return one.pid === other.pid && one.startedAt === other.startedAt
}

async function readHolder(file: string): Promise<Found> {
  try {
    const found: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isHolder(found) ? found : 'damaged'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'damaged'
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) return false
  const texts = value as Partial<Record<string, unknown>>
  return (
    typeof texts['pid'] === 'number' &&
    ['startedAt', 'command', 'since'].every((name) => typeof texts[name] === 'string')
  )
}

import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts'
import { SetupError } from './setup-error.ts'

const POLL_MS = 50

/** Whose a lock file is. No process of ours ever leaves a damaged one. */
type Holder = ProcessIdentity | 'absent' | 'damaged'

/**
 * Runs `work` while no other process runs under the same lock file. A lock whose holder has died is broken.
 *
 * @throws {SetupError} when the holder is alive but does not let go within `waitMs` (default 15 minutes)
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
  let told = false
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  while (!(await take(file))) {
    const holder = await readHolder(file)
    // It was released meanwhile.
    if (holder === 'absent') continue
    if (holder === 'damaged' || !isRunning(holder)) {
      await breakLock(file, holder)
      continue
    }
    if (performance.now() > deadline) {
      throw new SetupError(`another set-up (process ${holder.pid}) holds ${file}; end it and try again`)
    }
    if (!told) log?.(`waiting for another set-up (process ${holder.pid})`)
    told = true
    await sleep(POLL_MS)
  }
}

/** A link appears complete or not at all, so a waiter never reads a lock that is half written. */
async function take(file: string): Promise<boolean> {
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  await writeFile(draft, JSON.stringify(identifyProcess(process.pid)), { mode: 0o600 })
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
 * Removes a dead holder's lock. Only one process at a time may remove a lock that is not its own, and it looks once more
 * before: between two looks another process may have broken the lock and a third one taken it.
 */
async function breakLock(file: string, dead: Holder): Promise<void> {
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

function isSame(one: Holder, other: Holder): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other
  return one.pid === other.pid && one.startedAt === other.startedAt
}

async function readHolder(file: string): Promise<Holder> {
  try {
    const found: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isIdentity(found) ? found : 'damaged'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'damaged'
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false
  return 'pid' in value && typeof value.pid === 'number' && 'startedAt' in value
}

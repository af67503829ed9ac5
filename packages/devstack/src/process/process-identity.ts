import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** One process, distinct from any later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** Boot id and start time in clock ticks on Linux; the start time as `ps` prints it elsewhere. */
  readonly startedAt: string
}

/** Identity of a running process; undefined if there is no process with this number, or only a zombie. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startElsewhere(pid)
  return startedAt === undefined ? undefined : { pid, startedAt }
}

/** Whether the same process still runs, as opposed to another one with a reused number. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt
}

/**
 * Ends a process: SIGTERM, and SIGKILL after `graceMs`. Resolves when it has ended.
 *
 * @returns true if the process was running
 */
export async function endProcess(identity: ProcessIdentity, graceMs: number): Promise<boolean> {
  if (!isRunning(identity)) return false
  signalProcess(identity, 'SIGTERM')
  if (await isGoneWithin(identity, graceMs)) return true
  signalProcess(identity, 'SIGKILL')
  await isGoneWithin(identity, 5000)
  return true
}

/**
 * Start time (field 22) of a `/proc/<pid>/stat` line.
 *
 * @returns undefined for a zombie or a line of another form
 */
export function startTicks(stat: string): string | undefined {
  // The second field is the command in brackets, which can contain brackets and spaces.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === undefined || 'ZXx'.includes(state)) return undefined
  return rest[18]
}

function startOnLinux(pid: number): string | undefined {
  try {
    const ticks = startTicks(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    return ticks && `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${ticks}`
  } catch {
    return undefined
  }
}

function startElsewhere(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}

function signalProcess({ pid }: ProcessIdentity, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function isGoneWithin(identity: ProcessIdentity, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds
  while (isRunning(identity)) {
    if (performance.now() >= deadline) return false
    await sleep(20)
  }
  return true
}

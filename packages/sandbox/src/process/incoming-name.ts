import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

const INCOMING = /^incoming-(\d+)-(\d+)-[0-9a-f]+$/

/** Name of a file or directory that is not complete yet, or that is being removed; it tells which process works on it. */
export function incomingName(): string {
  return `incoming-${process.pid}-${startOf(process.pid) ?? 0}-${randomBytes(6).toString('hex')}`
}

/** Whether the process that worked on it has ended. */
export function isAbandoned(name: string): boolean {
  const [, pid, startedAt] = INCOMING.exec(name) ?? []
  return pid !== undefined && startOf(Number(pid)) !== startedAt
}

/** Start of a running process in clock ticks, so that a later one with the same number is another. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the command in brackets, which can contain brackets and spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

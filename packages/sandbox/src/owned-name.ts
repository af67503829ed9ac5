import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** New name of a file or directory that only this process uses. @param kind what it is, in one word */
export function ownedName(kind: string): string {
  return `${kind}-${process.pid}-${startOf(process.pid) ?? 0}-${randomBytes(6).toString('hex')}`
}

/** Whether it is an {@link ownedName} of this kind, and its process has ended. */
export function isAbandoned(kind: string, name: string): boolean {
  if (!name.startsWith(`${kind}-`)) return false
  const [, pid, startedAt] = /^(\d+)-(\d+)-[0-9a-f]+$/.exec(name.slice(kind.length + 1)) ?? []
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

import { readdirSync, readFileSync } from 'node:fs'

/** Ticks per second of the counters in `/proc`: 100 on all supported architectures. */
const TICKS_PER_SECOND = 100

/** Processor seconds of the machine since its start, and of each process since its own, ended children included. */
export interface ProcessorTime {
  readonly machine: number
  readonly processes: ReadonlyMap<number, { readonly command: string; readonly seconds: number }>
}

/** Reads the processor time of the machine and of all processes. @throws on systems other than Linux */
export function processorTime(): ProcessorTime {
  const processes = new Map<number, { command: string; seconds: number }>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parsed = parseStat(readOrNothing(`/proc/${name}/stat`))
    if (parsed !== undefined) processes.set(Number(name), parsed)
  }
  return { machine: machineTime().busy, processes }
}

/** Processor seconds of a process (by number) or of all processes of a command between two readings; 0 for one that has ended. */
export function secondsOf(who: number | string, before: ProcessorTime, after: ProcessorTime): number {
  let seconds = 0
  for (const [pid, found] of after.processes) {
    if (pid !== who && found.command !== who) continue
    seconds += found.seconds - (before.processes.get(pid)?.seconds ?? 0)
  }
  return seconds
}

/** Command and processor seconds, children included, of a `/proc/<pid>/stat` line. */
export function parseStat(stat: string): { command: string; seconds: number } | undefined {
  const command = /\((.*)\)/s.exec(stat)?.[1]
  if (command === undefined) return undefined
  // The fields after the command, which may hold anything: utime, stime, cutime and cstime are 14 to 17 of all.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { command, seconds: ticks / TICKS_PER_SECOND }
}

/** Busy and total seconds of all processors together since the machine started. */
export function machineTime(stat = readFileSync('/proc/stat', 'utf8')): { busy: number; all: number } {
  const fields = stat.split('\n', 1)[0]?.split(/\s+/).slice(1, 9).map(Number) ?? []
  const all = fields.reduce((sum, field) => sum + field, 0)
  const [, , , idle = 0, waiting = 0] = fields
  return { busy: (all - idle - waiting) / TICKS_PER_SECOND, all: all / TICKS_PER_SECOND }
}

/**
 * Resident memory of a process in MB (10^6 bytes): all of it, or only `Anon`, which no file backs and no other process shares.
 *
 * @returns NaN if the process is gone
 */
export function residentMb(pid: number, part: 'VmRSS' | 'RssAnon' = 'VmRSS'): number {
  const kib = new RegExp(`^${part}:\\s+(\\d+) kB$`, 'm').exec(readOrNothing(`/proc/${pid}/status`))?.[1]
  return (Number(kib) * 1024) / 1e6
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

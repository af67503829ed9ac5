import { readdir, readFile } from 'node:fs/promises'
import type { Finding } from './finding.ts'

/** Name of containerd's shims as the kernel keeps it: the first 15 characters. */
const SHIM = 'containerd-shim'
/** A shim that starts or ends has no container for a moment, in seconds. */
const MIN_AGE_SECONDS = 60
/** Unit of start times in `/proc/<pid>/stat` on every Linux. */
const TICKS_PER_SECOND = 100

interface Process {
  readonly pid: string
  readonly name: string
  readonly parent: string
  readonly startedAtSeconds: number
}

/**
 * Counts shims without a container on this host. A containerd that is killed can leave them: they run nothing, but nothing ends
 * them either, so each keeps some 10 MB.
 *
 * @returns no finding if this host runs no shim: the engine is elsewhere, or idle
 */
export async function inspectShims(proc = '/proc'): Promise<Finding[]> {
  const processes = await readProcesses(proc)
  const shims = processes.filter(({ name }) => name === SHIM)
  if (shims.length === 0) return []
  const uptime = Number.parseFloat(await readFile(`${proc}/uptime`, 'latin1'))
  const parents = new Set(processes.map(({ parent }) => parent))
  const empty = shims.filter(
    ({ pid, startedAtSeconds }) => !parents.has(pid) && uptime - startedAtSeconds > MIN_AGE_SECONDS,
  )
  const subject = 'shims'
  if (empty.length === 0) return [{ state: 'ok', subject, text: `${shims.length}, each with its container` }]
  const pids = empty.map(({ pid }) => pid).join(' ')
  const text = `${empty.length} of ${shims.length} have no container, left by a containerd that was killed; end them with: kill -9 ${pids}`
  return [{ state: 'warning', subject, text }]
}

async function readProcesses(proc: string): Promise<Process[]> {
  const entries = await readdir(proc).catch(() => [])
  const pids = entries.filter((name) => /^\d+$/.test(name))
  // A process can end while it is read.
  const read = (pid: string) => readFile(`${proc}/${pid}/stat`, 'latin1').then(parseStat, () => undefined)
  return (await Promise.all(pids.map(read))).filter((found) => found !== undefined)
}

/** Parses `/proc/<pid>/stat`; the name in brackets can contain brackets and spaces. */
function parseStat(stat: string): Process {
  const [open, close] = [stat.indexOf('('), stat.lastIndexOf(')')]
  const fields = stat.slice(close + 2).split(' ')
  return {
    pid: stat.slice(0, open).trim(),
    name: stat.slice(open + 1, close),
    parent: fields[1] ?? '',
    startedAtSeconds: Number(fields[19]) / TICKS_PER_SECOND,
  }
}

import { readFileSync } from 'node:fs'
import type { Observer } from './observer.ts'

/** A worker needs up to 470 MiB when it checks 2 MiB of source. Much more means that an attack fills its memory. */
const MAX_MEMORY = 600 * 1024 * 1024

/** Reports if the worker's process has ended or has taken too much memory. */
export function watchWorker(pid: number): Observer {
  const before = startTime(pid)
  return {
    async findings() {
      if (before === undefined || startTime(pid) !== before) return [`the worker (process ${pid}) has ended`]
      const peak = Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
      return peak < MAX_MEMORY ? [] : [`the worker has taken ${Math.round(peak / 1024 / 1024)} MiB`]
    },
  }
}

/** Start of a process in clock ticks since boot; undefined if it has ended, even if it is not reaped yet. */
function startTime(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

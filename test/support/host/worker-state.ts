import { readFileSync } from 'node:fs'
import type { Observer } from './observer.ts'

/** Above what a worker needs, 470 MiB while it checks 2 MiB of source, below what an attack would make it hold. */
const MOST_MEMORY = 600 * 1024 * 1024

/** Watches that a process of ours goes on: the same one, with bounded memory. */
export function watchWorker(pid: number): Observer {
  const before = startTime(pid)
  return {
    async findings() {
      if (before === undefined || startTime(pid) !== before) return [`the worker (process ${pid}) has ended`]
      const peak = Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
      return peak < MOST_MEMORY ? [] : [`the worker has taken ${Math.round(peak / 1024 / 1024)} MiB`]
    },
  }
}

/** In clock ticks since boot; undefined when the process is gone or only waits to be reaped. */
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

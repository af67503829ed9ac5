import { IsopodError, RetryableError } from '@isopod/protocol'
import { DriverFullError, DriverUnavailableError } from '../driver/faults.ts'
import type { DriverCall, DriverOperation } from '../driver/sandbox-events.ts'

/** Operations of this driver, and their deadlines in milliseconds. */
const DEADLINE_MS = {
  create: 5_000,
  start: 5_000,
  ready: 10_000,
  look: 5_000,
  update: 5_000,
  // More than init grants the interpreter.
  preload: 25_000,
  exit: 10_000,
  remove: 10_000,
} as const satisfies Partial<Record<DriverOperation, number>>

/** Runs an operation under its deadline, and observes it. */
export type Timed = <T>(operation: keyof typeof DEADLINE_MS, act: () => Promise<T>) => Promise<T>

/** Makes a function that times operations. It throws a `RetryableError` for every failure that is not Isopod's own. */
export function timedBy(observe: (call: DriverCall) => void): Timed {
  return async (operation, act) => {
    const started = performance.now()
    const done = (outcome: DriverCall['outcome']) =>
      observe({ operation, outcome, seconds: (performance.now() - started) / 1000 })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new LateError(operation)), DEADLINE_MS[operation]).unref()
    })
    try {
      const value = await Promise.race([act(), late])
      done('ok')
      return value
    } catch (cause) {
      done(cause instanceof LateError ? 'timeout' : 'error')
      if (cause instanceof IsopodError) throw cause
      const { code, message } = cause as NodeJS.ErrnoException
      if (code === 'ENOSPC' || code === 'EDQUOT') {
        throw new DriverFullError(`this host has no space left to ${operation} a sandbox: ${message}`, {
          cause,
        })
      }
      throw new RetryableError(`this host refused ${operation}: ${message}`, { cause })
    } finally {
      clearTimeout(timer)
    }
  }
}

class LateError extends DriverUnavailableError {
  constructor(operation: keyof typeof DEADLINE_MS) {
    super(`this host did not finish ${operation} within ${DEADLINE_MS[operation] / 1000} s`)
  }
}

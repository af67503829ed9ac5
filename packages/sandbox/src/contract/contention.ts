import type { Limits } from '@isopod/protocol'
import type { Execution } from './execution.ts'
import type { RunOutcome } from './outcome.ts'

/** Minimum share of its possible processor time that a starved program did not get. */
const MIN_DENIED_PART = 0.2
/** Minimum share that a starved program used; with less it waited for something else. */
const MIN_USED_PART = 0.05
/** Maximum time for starting a container on an idle host, in milliseconds. */
const MAX_START_MS = 5_000

/**
 * Whether a timeout is in doubt because other executions kept the program, or its compiler, from the processor. It used at least
 * 5 %, and less than 80 %, of what one thread could have had within its own CPU quota. The timeout of a job that limits CPU
 * seconds is never in doubt, because a program uses the same CPU time on a busy host.
 *
 * @param wasOvercommitted whether other executions ran within the last so many milliseconds
 */
export function wasStarved(
  outcome: Pick<RunOutcome, 'status' | 'limit' | 'wallMs' | 'cpuUserMs' | 'cpuSysMs' | 'throttledMs'>,
  { cpus, cpuSeconds }: Pick<Limits, 'cpus' | 'cpuSeconds'>,
  wasOvercommitted: (ms: number) => boolean,
): boolean {
  const { status, limit, wallMs, cpuUserMs, cpuSysMs, throttledMs } = outcome
  const isCompiler = status === 'compile_error'
  if ((status !== 'timeout' && !isCompiler) || limit !== 'timeout') return false
  // Only the program's CPU seconds are limited.
  if (cpuSeconds !== null && !isCompiler) return false
  if (wallMs === null || cpuUserMs === null || cpuSysMs === null) return false
  const possibleMs = Math.min(Math.min(cpus, 1) * wallMs, wallMs - (throttledMs ?? 0))
  const usedMs = cpuUserMs + cpuSysMs
  return (
    usedMs >= MIN_USED_PART * possibleMs &&
    usedMs < (1 - MIN_DENIED_PART) * possibleMs &&
    wasOvercommitted(wallMs)
  )
}

/** Maximum time before a program starts in its own container, in milliseconds: start and compile run. */
export function maxStartupMs({ language, limits }: Pick<Execution, 'language' | 'limits'>): number {
  return MAX_START_MS + (language.compile === undefined ? 0 : limits.compileSeconds * 1000)
}

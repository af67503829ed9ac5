import type { ExecRequest } from '../src/encode.ts'
import { PROCESS_LIMITS, type ProcessLimits } from '../src/process-limits.ts'

/** Process limits: 256 of each, with changes. */
export function sampleLimits(changes: Partial<ProcessLimits> = {}): ProcessLimits {
  const all = Object.fromEntries(PROCESS_LIMITS.map(({ name }) => [name, 256])) as ProcessLimits
  return { ...all, ...changes }
}

/** An exec request for a program without arguments. */
export function sampleExec(changes: Partial<ExecRequest> = {}): ExecRequest {
  return {
    argv: ['p'],
    env: {},
    wallMs: 1,
    stdoutLimit: 0,
    stderrLimit: 0,
    limits: sampleLimits(),
    ...changes,
  }
}

import { PROCESS_LIMITS } from '@isopod/init'
import type { ProgramRun } from '../../src/program/program-frames.ts'
import { limits } from './execution.ts'

/** A program's start. */
export function sampleRun(changes: Partial<ProgramRun> = {}): ProgramRun {
  const bounds = { wallMs: 60_000, cpuMs: null, outputBytes: 100, killOnOverflow: false, limits: limits() }
  return { argv: ['a'], env: {}, stdin: undefined, ...bounds, ...changes }
}

/** Init's payload for it, if its limits hold. */
export function sampleStarted({ wallMs, cpuMs, outputBytes, limits: asked }: ProgramRun = sampleRun()) {
  const limits = PROCESS_LIMITS.map(({ name, unit }) => asked[name] * unit)
  return { pid: 2, wallMs, cpuMs: cpuMs ?? 0, stdoutLimit: outputBytes, stderrLimit: outputBytes, limits }
}

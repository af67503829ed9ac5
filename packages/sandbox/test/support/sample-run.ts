import { PROCESS_LIMITS } from '@isopod/init'
import type { ProgramRun } from '../../src/program/program-frames.ts'
import { limits } from './execution.ts'

/** A request to start a program. */
export function sampleRun(changes: Partial<ProgramRun> = {}): ProgramRun {
  const bounds = { wallMs: 60_000, cpuMs: null, outputBytes: 100, killOnOverflow: false, limits: limits() }
  return { argv: ['a'], env: {}, stdin: undefined, ...bounds, ...changes }
}

/** Payload of init's started frame for a run, with the requested limits. */
export function sampleStarted({ wallMs, cpuMs, outputBytes, limits: asked }: ProgramRun = sampleRun()) {
  const limits = PROCESS_LIMITS.map(({ name, unit }) => asked[name] * unit)
  return { pid: 2, wallMs, cpuMs: cpuMs ?? 0, stdoutLimit: outputBytes, stderrLimit: outputBytes, limits }
}

import { knownStatus, type Result } from '@isopod/protocol'
import type { PistonRuntime } from './runtimes.ts'

/** The end of one stage, in Piston's form. */
export interface PistonStage {
  readonly stdout: string
  readonly stderr: string
  /** stdout followed by stderr; their interleaving is not kept. */
  readonly output: string
  readonly code: number | null
  readonly signal: string | null
  readonly message: string | null
  /** Null on success; else time limit, signal, exit code, too much stdout, too much stderr, or a platform fault. */
  readonly status: 'TO' | 'SG' | 'RE' | 'OL' | 'EL' | 'XX' | null
  /** Milliseconds and bytes. Absent if not measured, because clients expect a number or no field. */
  readonly cpu_time?: number
  readonly wall_time?: number
  readonly memory?: number
}

/** The response of `POST /api/v2/execute`. */
export interface ExecuteResponse {
  readonly language: string
  readonly version: string
  readonly run: PistonStage
  readonly compile?: PistonStage
}

/** The response for a result. After a compile error `run` repeats the compile stage, as in Piston. */
export function executeResponse(result: Result, { language, version }: PistonRuntime): ExecuteResponse {
  const compile = compileStage(result)
  const run = compile !== undefined && result.status === 'compile_error' ? compile : runStage(result)
  return { language, version, run, ...(compile && { compile }) }
}

function compileStage({ status, compileOutput, exitCode, errorMessage }: Result): PistonStage | undefined {
  const failed = status === 'compile_error'
  if (compileOutput === undefined && !failed) return undefined
  const stderr = compileOutput ?? ''
  return {
    ...{ stdout: '', stderr, output: stderr },
    code: failed ? (exitCode ?? 1) : 0,
    signal: null,
    message: failed ? errorMessage : null,
    status: failed ? 'RE' : null,
  }
}

function runStage(result: Result): PistonStage {
  const { stdout, stderr, cpuUserMs, cpuSysMs, wallMs, memoryPeakBytes: memory } = result
  const status = stageStatus(result)
  const isEnded = status === 'TO' || status === 'OL' || status === 'EL' || result.status === 'memory_exceeded'
  return {
    ...{ stdout, stderr, output: stdout + stderr },
    code: isEnded || status === 'XX' ? null : result.exitCode,
    signal: isEnded ? 'SIGKILL' : result.signal,
    message: result.errorMessage,
    status,
    ...(cpuUserMs !== null && cpuSysMs !== null && { cpu_time: Math.round(cpuUserMs + cpuSysMs) }),
    ...(wallMs !== null && { wall_time: Math.round(wallMs) }),
    ...(memory !== null && { memory }),
  }
}

/** Piston's status for the end of a program. */
export function stageStatus(
  result: Pick<Result, 'status' | 'attributable' | 'signal' | 'outputBytes'>,
): PistonStage['status'] {
  const { signal, outputBytes } = result
  const status = knownStatus(result)
  switch (status) {
    case 'success':
      return null
    case 'timeout':
      return 'TO'
    case 'memory_exceeded':
      return 'SG'
    case 'output_exceeded':
      return outputBytes.stderr > outputBytes.stdout ? 'EL' : 'OL'
    case 'execution_error':
      return signal === null ? 'RE' : 'SG'
    case 'compile_error':
      return 'RE'
    case 'validation_error':
    case 'cancelled':
    case 'setup_error':
      return 'XX'
    default:
      return status satisfies never
  }
}

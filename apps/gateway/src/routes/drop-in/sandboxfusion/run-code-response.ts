import { knownStatus, type Result, signalNumber } from '@isopod/protocol'

/** The end of one command, in SandboxFusion's form. */
export interface CommandResult {
  readonly status: 'Finished' | 'Error' | 'TimeLimitExceeded'
  /** Seconds. */
  readonly execution_time: number | null
  /** Exit code, or the negative number of the signal that ended the command. */
  readonly return_code: number | null
  readonly stdout: string | null
  readonly stderr: string | null
}

/** The response of `POST /run_code`. */
export interface RunCodeResponse {
  readonly status: 'Success' | 'Failed' | 'SandboxError'
  readonly message: string
  readonly compile_result: CommandResult | null
  readonly run_result: CommandResult | null
  readonly executor_pod_name: string | null
  /** Path → base64. */
  readonly files: Readonly<Record<string, string>>
}

/** Makes the response for a result. */
export function runCodeResponse(result: Result): RunCodeResponse {
  const status = runStatusOf(result)
  return {
    status,
    message: needsMessage(result) ? (result.errorMessage ?? '') : '',
    compile_result: compileResult(result),
    run_result: status === 'SandboxError' ? null : runResult(result),
    executor_pod_name: result.workerId,
    files: Object.fromEntries(
      Object.entries(result.files ?? {}).map(([path, { content }]) => [path, content]),
    ),
  }
}

/** SandboxFusion's status. `SandboxError` says nothing about the program: trainers must not score it. */
export function runStatusOf(
  result: Pick<Result, 'status' | 'attributable' | 'validationErrors'>,
): RunCodeResponse['status'] {
  const { validationErrors } = result
  const status = knownStatus(result)
  switch (status) {
    case 'success':
      return 'Success'
    case 'execution_error':
    case 'compile_error':
    case 'timeout':
    case 'memory_exceeded':
    case 'output_exceeded':
      return 'Failed'
    case 'validation_error':
      // With findings the source was refused, without them a limit or setting.
      return validationErrors.length > 0 ? 'Failed' : 'SandboxError'
    case 'cancelled':
    case 'setup_error':
      return 'SandboxError'
    default:
      return status satisfies never
  }
}

/** Whether neither the return code nor the command's status explains the end. */
function needsMessage({ status }: Result): boolean {
  return !['success', 'execution_error', 'compile_error', 'timeout'].includes(status)
}

/** The end of the compile run; null for a language without one. */
export function compileResult({ status, compileOutput, exitCode }: Result): CommandResult | null {
  const failed = status === 'compile_error'
  if (compileOutput === undefined && !failed) return null
  const return_code = failed ? (exitCode ?? 1) : 0
  return { status: 'Finished', execution_time: null, return_code, stdout: '', stderr: compileOutput ?? '' }
}

function runResult(result: Result): CommandResult | null {
  const { status, stdout, stderr, wallMs } = result
  if (status === 'compile_error' || status === 'validation_error') return null
  return {
    status: status === 'timeout' ? 'TimeLimitExceeded' : 'Finished',
    execution_time: wallMs === null ? null : wallMs / 1000,
    return_code: status === 'timeout' ? null : returnCode(result),
    ...{ stdout, stderr },
  }
}

function returnCode({ exitCode, signal }: Result): number {
  if (exitCode !== null) return exitCode
  return -((signal === null ? undefined : signalNumber(signal)) ?? 9)
}

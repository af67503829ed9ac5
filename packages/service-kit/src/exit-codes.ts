import { knownStatus, type Result } from '@isopod/protocol'

/** Exit codes of the command. */
export const EXIT = {
  /** The program or the command succeeded. */
  success: 0,
  /** The program did not succeed, or a result was not the expected one. */
  failure: 1,
  /** The command line is invalid: unknown option, missing file, invalid job. */
  usage: 2,
  /** The platform failed: no Redis, no engine, `setup_error`. */
  platform: 3,
  /** Ended by Ctrl-C, as shells count it. */
  interrupted: 130,
} as const

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The exit code of `isopod run` for a result. */
export function exitCodeOf(result: Pick<Result, 'status' | 'attributable'>): ExitCode {
  const status = knownStatus(result)
  switch (status) {
    case 'success':
      return EXIT.success
    case 'execution_error':
    case 'compile_error':
    case 'timeout':
    case 'memory_exceeded':
    case 'output_exceeded':
    case 'cancelled':
      return EXIT.failure
    case 'validation_error':
      return EXIT.usage
    case 'setup_error':
      return EXIT.platform
    default:
      return status satisfies never
  }
}

/**
 * All statuses with which an execution can end. The list is closed: a `switch` over it ends in `satisfies never`.
 *
 * | status | meaning |
 * | --- | --- |
 * | `success` | the program ended with exit code 0 |
 * | `execution_error` | another exit code, or a signal |
 * | `compile_error` | the compile run failed |
 * | `timeout`, `memory_exceeded`, `output_exceeded` | a limit ended it; `limit` in the result says which |
 * | `validation_error` | refused before anything ran |
 * | `cancelled` | a caller or a deadline ended it |
 * | `setup_error` | the platform failed, after retries |
 */
export const STATUSES = [
  'success',
  'execution_error',
  'compile_error',
  'timeout',
  'memory_exceeded',
  'output_exceeded',
  'validation_error',
  'cancelled',
  'setup_error',
] as const

/** How an execution ended. */
export type Status = (typeof STATUSES)[number]

/** The four statuses of the MCP and API documents. */
export type DocumentedStatus = 'success' | 'timeout' | 'execution_error' | 'setup_error'

/**
 * Whether a status describes the program. Graders score only attributable results, because a platform fault or a cancellation
 * is no failure of the code.
 */
export function isAttributable(status: Status): boolean {
  return status !== 'cancelled' && status !== 'setup_error'
}

/** Maps a status to one of the four in the MCP and API documents; report the original in their `reason`. */
export function documentedStatus(status: Status): DocumentedStatus {
  switch (status) {
    case 'success':
    case 'timeout':
    case 'execution_error':
    case 'setup_error':
      return status
    case 'compile_error':
    case 'memory_exceeded':
    case 'output_exceeded':
      return 'execution_error'
    case 'validation_error':
    case 'cancelled':
      return 'setup_error'
    default:
      return status satisfies never
  }
}

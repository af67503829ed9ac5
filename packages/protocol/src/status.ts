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
 * is not a failure of the code.
 */
export function isAttributable(status: Status): boolean {
  return status !== 'cancelled' && status !== 'setup_error'
}

/**
 * The status of a result, or for one that only a newer release knows the known status that comes closest: the program failed if the
 * result is attributable to it, else the platform did.
 */
export function knownStatus(result: { readonly status: string; readonly attributable: boolean }): Status {
  const known = STATUSES.find((status) => status === result.status)
  return known ?? (result.attributable ? 'execution_error' : 'setup_error')
}

/** Maps the status of a result to one of the four in the MCP and API documents; report the original in their `reason`. */
export function documentedStatus(result: Parameters<typeof knownStatus>[0]): DocumentedStatus {
  const status = knownStatus(result)
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

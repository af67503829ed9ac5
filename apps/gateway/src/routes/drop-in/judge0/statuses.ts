import { knownStatus, knownVerdict, type Result } from '@isopod/protocol'

/** Judge0's statuses: the id is the place in the list, from 1. */
export const JUDGE0_STATUSES = [
  'In Queue',
  'Processing',
  'Accepted',
  'Wrong Answer',
  'Time Limit Exceeded',
  'Compilation Error',
  'Runtime Error (SIGSEGV)',
  'Runtime Error (SIGXFSZ)',
  'Runtime Error (SIGFPE)',
  'Runtime Error (SIGABRT)',
  'Runtime Error (NZEC)',
  'Runtime Error (Other)',
  'Internal Error',
  'Exec Format Error',
].map((description, index) => ({ id: index + 1, description }))

const OTHER = 12
const INTERNAL_ERROR = 13
const OF_SIGNALS: Readonly<Record<string, number>> = { SIGSEGV: 7, SIGXFSZ: 8, SIGFPE: 9, SIGABRT: 10 }

/** The id of Judge0's status for a result. 13 for results that say nothing about the program. */
export function statusIdOf(result: Pick<Result, 'status' | 'attributable' | 'signal' | 'tests'>): number {
  const { signal } = result
  const status = knownStatus(result)
  switch (status) {
    case 'success':
      return idOfVerdict(result)
    case 'timeout':
      return 5
    case 'compile_error':
      return 6
    case 'execution_error':
      return signal === null ? 11 : (OF_SIGNALS[signal] ?? OTHER)
    case 'memory_exceeded':
    case 'output_exceeded':
      return OTHER
    case 'validation_error':
    case 'cancelled':
    case 'setup_error':
      return INTERNAL_ERROR
    default:
      return status satisfies never
  }
}

/** A submission with an expected output is a job with one test. */
function idOfVerdict({ tests }: Pick<Result, 'tests'>): number {
  const verdict = knownVerdict(tests?.[0]?.verdict ?? 'passed')
  switch (verdict) {
    case 'passed':
      return 3
    case 'wrong_answer':
      return 4
    case 'timeout':
      return 5
    case 'runtime_error':
      return 11
    case 'memory_exceeded':
    case 'output_exceeded':
    case undefined:
      return OTHER
    case 'judge_error':
    case 'unverified':
    case 'skipped':
      return INTERNAL_ERROR
    default:
      return verdict satisfies never
  }
}

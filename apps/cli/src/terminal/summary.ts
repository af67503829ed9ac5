import { type Result, visible } from '@isopod/protocol'
import { mebibytes, seconds } from './units.ts'

/** How a program ended, in one line: status, exit code or what ended it, time, memory, whether it is flaky, what was cut. */
export function summaryLine(result: Result): string {
  const { stdout, stderr } = result.truncated
  const parts = [
    result.status,
    ending(result),
    result.wallMs === null ? '' : seconds(result.wallMs),
    result.memoryPeakBytes === null ? '' : `peak ${mebibytes(result.memoryPeakBytes)}`,
    result.flaky ? 'flaky' : '',
    stdout ? `stdout cut, ${result.outputBytes.stdout} bytes were written` : '',
    stderr ? `stderr cut, ${result.outputBytes.stderr} bytes were written` : '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

/** One line a result: id, language and {@link summaryLine}. */
export function resultLine(result: Result): string {
  return visible(`${result.id}  ${result.language}  ${summaryLine(result)}`)
}

function ending(result: Result): string {
  switch (result.status) {
    case 'success':
      return 'exit code 0'
    case 'execution_error':
      if (result.signal !== null) return `ended by ${result.signal}`
      return result.exitCode === null ? '' : `exit code ${result.exitCode}`
    case 'compile_error':
    case 'timeout':
    case 'memory_exceeded':
    case 'output_exceeded':
    case 'validation_error':
    case 'cancelled':
    case 'setup_error':
      return visible(result.errorMessage ?? '').replaceAll('\n', ' ')
    default:
      return result.status satisfies never
  }
}

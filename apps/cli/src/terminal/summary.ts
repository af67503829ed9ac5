import { knownStatus, type Result, visible } from '@isopod/protocol'
import type { Io, Output } from '../io.ts'
import { paintOn, type Style } from './paint.ts'
import { memoryText, secondsText } from './units.ts'

/** Colour of a status; any other is red. */
const COLORS: Readonly<Record<string, Style>> = {
  success: 'green',
  setup_error: 'yellow',
  cancelled: 'yellow',
}

/** How a program ended, in one line: status, exit code or what ended it, time, memory, whether it is flaky, what was cut. */
export function summaryLine(io: Io, output: Output, result: Result): string {
  const { stdout, stderr } = result.truncated
  const parts = [
    paintOn(io, output, COLORS[result.status] ?? 'red', result.status),
    ending(result),
    result.wallMs === null ? '' : secondsText(result.wallMs),
    result.memoryPeakBytes === null ? '' : `peak ${memoryText(result.memoryPeakBytes)}`,
    result.flaky ? 'flaky' : '',
    stdout ? `stdout cut, ${result.outputBytes.stdout} bytes were written` : '',
    stderr ? `stderr cut, ${result.outputBytes.stderr} bytes were written` : '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

function ending(result: Result): string {
  const status = knownStatus(result)
  switch (status) {
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
      return status satisfies never
  }
}

import type { Result } from '@isopod/protocol'
import { firstLine } from '../terminal/printable.ts'
import { tableText } from '../terminal/table.ts'

/** One line of the table. */
export interface Row {
  readonly name: string
  readonly result: Result
  /** Whether the result is the expected one. */
  readonly ok: boolean
}

const MAX_OUTPUT = 48

/** The table of the demo: verdict, name, status, exit code or signal, time, peak memory, output; no wider than `width`. */
export function demoTable(rows: readonly Row[], width: number): string {
  const columns = [
    { head: '' },
    { head: 'job' },
    { head: 'status' },
    { head: 'exit' },
    { head: 'ms', align: 'right' },
    { head: 'MiB', align: 'right' },
    { head: 'output', flexible: true },
  ] as const
  const cells = rows.map(({ name, result, ok }) => [
    ok ? '✓' : '✗',
    name,
    result.status,
    firstLine(String(result.exitCode ?? result.signal ?? '-'), 10),
    result.wallMs === null ? '-' : result.wallMs.toFixed(0),
    result.memoryPeakBytes === null ? '-' : (result.memoryPeakBytes / 1024 / 1024).toFixed(1),
    firstLine(outputOf(result), MAX_OUTPUT),
  ])
  return tableText(columns, cells, width)
}

/** The most telling line of a run: its output, else the last line of a traceback, else why it was ended. */
function outputOf(result: Result): string {
  if (result.stdout.trim() !== '') return result.stdout
  if (result.compileOutput)
    return result.compileOutput.split('\n').find((line) => line.includes('error')) ?? ''
  if (result.status === 'execution_error') return result.stderr.trimEnd().split('\n').at(-1) ?? ''
  return result.errorMessage ?? result.stderr
}

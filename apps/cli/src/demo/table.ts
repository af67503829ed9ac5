import type { Result } from '@isopod/protocol'
import Table from 'cli-table3'
import { firstLine } from '../terminal/printable.ts'
import { mebibytes, seconds } from '../terminal/units.ts'

/** One line of the table. */
export interface Row {
  readonly name: string
  readonly result: Result
  /** Whether the result is the expected one. */
  readonly ok: boolean
}

const NARROWEST_OUTPUT = 16
const WIDEST_OUTPUT = 48
/** What the other columns take. */
const OTHER_COLUMNS = 100

/**
 * The table of the demo: name, language, status, exit code or signal, time, peak memory, output, verdict.
 *
 * @param columns width of the terminal, in characters
 */
export function demoTable(rows: readonly Row[], columns: number): string {
  const width = Math.min(WIDEST_OUTPUT, Math.max(NARROWEST_OUTPUT, columns - OTHER_COLUMNS))
  const table = new Table({
    head: ['job', 'language', 'status', 'exit', 'time', 'memory', 'output', ''],
    colAligns: ['left', 'left', 'left', 'right', 'right', 'right', 'left', 'left'],
    // No colours: the same bytes for a screen, a file and a log of a build.
    style: { head: [], border: [], compact: true, 'padding-left': 1, 'padding-right': 1 },
  })
  for (const { name, result, ok } of rows) {
    table.push([
      name,
      firstLine(result.language, 20),
      result.status,
      firstLine(String(result.exitCode ?? result.signal ?? '-'), 10),
      seconds(result.wallMs),
      mebibytes(result.memoryPeakBytes),
      firstLine(outputOf(result), width),
      ok ? 'ok' : '✗',
    ])
  }
  return `${table}\n`
}

/** What tells most about a run: what it printed, else how it failed (a traceback's last line), else why it was ended. */
function outputOf(result: Result): string {
  if (result.stdout.trim() !== '') return result.stdout
  if (result.compileOutput)
    return result.compileOutput.split('\n').find((line) => line.includes('error')) ?? ''
  if (result.status === 'execution_error') return result.stderr.trimEnd().split('\n').at(-1) ?? ''
  return result.errorMessage ?? result.stderr
}

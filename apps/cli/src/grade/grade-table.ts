import type { BatchSummary } from '@isopod/client'
import { type Grades, percentText, type Remark, SAMPLE_VERDICTS, VERDICT_WORDS } from '@isopod/grading'
import { firstLine } from '../terminal/printable.ts'
import { type Column, tableText } from '../terminal/table.ts'
import { countText, memoryText, secondsText } from '../terminal/units.ts'

const MAX_SLOWEST = 5
const MAX_REMARKS = 10
const MAX_NAME = 48
const MAX_REASON = 160

/** The outcome of a batch as tables, no wider than `width`. */
export function gradeTable(grades: Grades, summary: BatchSummary, width: number): string {
  const verdicts = SAMPLE_VERDICTS.filter((one) => grades.counts[one] > 0).map((verdict) => [
    VERDICT_WORDS[verdict],
    String(grades.counts[verdict]),
    percentText(grades.counts[verdict] / grades.samples),
  ])
  const rates = Object.entries(summary.passAt).map(([k, rate]) =>
    rate === null
      ? [`pass@${k}`, '-', `no problem has ${countText(Number(k), 'judged sample')}`, '0']
      : [
          `pass@${k}`,
          percentText(rate.estimate),
          `${percentText(rate.low)} to ${percentText(rate.high)}`,
          String(rate.problems),
        ],
  )
  return [
    `${countText(summary.problems, 'problem')}, ${summary.solved} solved; ${countText(summary.samples, 'sample')}, ${summary.passed} passed\n\n`,
    table(['verdict', 'samples', 'share'], verdicts, width),
    '\n',
    table(['', 'estimate', '95 % interval', 'problems'], rates, width),
    '\n',
    slowest(grades, width),
    `suspicious: ${grades.suspiciousCount}\n${remarks(grades.suspicious, grades.suspiciousCount)}`,
    `flaky: ${grades.flakyCount}\n`,
    `platform faults: ${summary.faults} remain, ${summary.retriedFaults} were run again\n`,
    remarks(grades.faults, grades.counts.fault),
  ].join('')
}

function slowest(grades: Grades, width: number): string {
  const problems = [...grades.problems.values()]
    .filter(({ wallMs }) => wallMs !== null)
    .sort((one, other) => (other.wallMs ?? 0) - (one.wallMs ?? 0))
    .slice(0, MAX_SLOWEST)
  if (problems.length === 0) return ''
  const rows = problems.map(({ problem, wallMs, memoryPeakBytes }) => [
    firstLine(problem, MAX_NAME),
    secondsText(wallMs),
    memoryText(memoryPeakBytes),
  ])
  return `${table(['slowest problems', 'time', 'memory'], rows, width)}\n`
}

/** The first remarks, one per line. */
function remarks(found: readonly Remark[], count: number): string {
  const lines = found
    .slice(0, MAX_REMARKS)
    .map(
      ({ number, problem, text }) =>
        `  sample ${number} of ${firstLine(problem, MAX_NAME)}: ${firstLine(text, MAX_REASON)}\n`,
    )
  return `${lines.join('')}${count > lines.length ? `  and ${count - lines.length} more\n` : ''}`
}

/** A table whose first column is text and whose other columns are numbers. */
function table(heads: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const columns = heads.map(
    (head, at): Column => (at === 0 ? { head, flexible: true } : { head, align: 'right' }),
  )
  return tableText(columns, rows, width)
}

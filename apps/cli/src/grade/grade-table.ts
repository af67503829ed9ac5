import type { BatchSummary } from '@isopod/client'
import { type Grades, percent, type Remark, SAMPLE_VERDICTS, VERDICT_WORDS } from '@isopod/grading'
import Table from 'cli-table3'
import { firstLine } from '../terminal/printable.ts'
import { counted, mebibytes, seconds } from '../terminal/units.ts'

const SLOWEST = 5
const REMARKS = 10
const WIDEST_NAME = 48
const WIDEST_REASON = 160

/** What a batch came to, as a terminal shows it. */
export function gradeTable(grades: Grades, summary: BatchSummary): string {
  const verdicts = table(['verdict', 'samples', 'share'], ['left', 'right', 'right'])
  for (const verdict of SAMPLE_VERDICTS.filter((one) => grades.counts[one] > 0)) {
    verdicts.push([
      VERDICT_WORDS[verdict],
      String(grades.counts[verdict]),
      percent(grades.counts[verdict] / grades.samples),
    ])
  }
  const rates = table(['', 'estimate', '95 % interval', 'problems'], ['left', 'right', 'right', 'right'])
  for (const [k, rate] of Object.entries(summary.passAt)) {
    if (rate === null)
      rates.push([`pass@${k}`, '-', `no problem has ${counted(Number(k), 'judged sample')}`, '0'])
    else {
      const interval = `${percent(rate.low)} to ${percent(rate.high)}`
      rates.push([`pass@${k}`, percent(rate.estimate), interval, String(rate.problems)])
    }
  }
  return [
    `${counted(summary.problems, 'problem')}, ${summary.solved} solved; ${counted(summary.samples, 'sample')}, ${summary.passed} passed\n`,
    `${verdicts}\n${rates}\n`,
    slowest(grades),
    `suspicious: ${grades.suspiciousCount}\n${remarks(grades.suspicious, grades.suspiciousCount)}`,
    `flaky: ${grades.flakyCount}\n`,
    `platform faults: ${summary.faults} remain, ${summary.retriedFaults} were run again\n`,
    remarks(grades.faults, grades.counts.fault),
  ].join('')
}

function slowest(grades: Grades): string {
  const problems = [...grades.problems.values()]
    .filter(({ wallMs }) => wallMs !== null)
    .sort((one, other) => (other.wallMs ?? 0) - (one.wallMs ?? 0))
    .slice(0, SLOWEST)
  if (problems.length === 0) return ''
  const rows = table(['slowest problems', 'time', 'memory'], ['left', 'right', 'right'])
  for (const { problem, wallMs, memoryPeakBytes } of problems) {
    rows.push([firstLine(problem, WIDEST_NAME), seconds(wallMs), mebibytes(memoryPeakBytes)])
  }
  return `${rows}\n`
}

/** The first samples of which there is something to say, a line each. */
function remarks(found: readonly Remark[], count: number): string {
  const lines = found
    .slice(0, REMARKS)
    .map(
      ({ number, problem, text }) =>
        `  sample ${number} of ${firstLine(problem, WIDEST_NAME)}: ${firstLine(text, WIDEST_REASON)}\n`,
    )
  return `${lines.join('')}${count > lines.length ? `  and ${count - lines.length} more\n` : ''}`
}

function table(head: string[], colAligns: ('left' | 'right')[]) {
  // No colours: the same bytes for a screen, a file and a log of a build.
  return new Table({
    head,
    colAligns,
    style: { head: [], border: [], compact: true, 'padding-left': 1, 'padding-right': 1 },
  })
}

import type { BatchSummary } from '@isopod/client'
import { type Grades, percentText, type Remark, SAMPLE_VERDICTS, VERDICT_WORDS } from '@isopod/grading'
import { SEPARATIONS, type Separation } from '@isopod/protocol'
import { firstLine } from '../terminal/printable.ts'
import { type Column, tableText } from '../terminal/table.ts'
import { countText, memoryText, secondsText } from '../terminal/units.ts'
import type { BasePassAt } from './base-scores.ts'

const MAX_SLOWEST = 5
const MAX_REMARKS = 10
const MAX_NAME = 48
const MAX_REASON = 160
/** How Python, JavaScript and Java begin the line that names an error. */
const ERROR_LINE = /^[\w.]*(Error|Exception)\b/

const SEPARATION_WORDS: Readonly<Record<Separation, string>> = {
  process: 'a process of their own (separation: process)',
  both: 'a process of their own and that of the code (separation: both)',
  none: 'the process of the code (separation: none)',
}

/** The outcome of a batch as tables, no wider than `width`. */
export function gradeTable(
  grades: Grades,
  summary: BatchSummary & { readonly basePassAt?: BasePassAt | undefined },
  width: number,
): string {
  const verdicts = SAMPLE_VERDICTS.filter((one) => grades.counts[one] > 0).map((verdict) => [
    VERDICT_WORDS[verdict],
    String(grades.counts[verdict]),
    percentText(grades.counts[verdict] / grades.samples),
  ])
  const { basePassAt } = summary
  const rates = [
    ...passRates(basePassAt ?? {}, ' base'),
    ...passRates(summary.passAt, basePassAt === undefined ? '' : ' base + plus'),
  ]
  return [
    `${countText(summary.problems, 'problem')}, ${summary.solved} solved; ${countText(summary.samples, 'sample')}, ${summary.passed} passed\n\n`,
    table(['verdict', 'samples', 'share'], verdicts, width),
    '\n',
    table(['', 'estimate', '95 % interval', 'problems'], rates, width),
    '\n',
    slowest(grades, width),
    ...separations(grades),
    ...judgeErrors(grades),
    ...unverified(grades),
    `suspicious: ${grades.suspiciousCount}\n${remarks(grades.suspicious, grades.suspiciousCount)}`,
    `flaky: ${grades.flakyCount}\n`,
    `platform faults: ${summary.faults} remain, ${summary.retriedFaults} were run again\n`,
    remarks(grades.faults, grades.counts.fault),
  ].join('')
}

/** One row for each k. */
function passRates(passAt: BatchSummary['passAt'], suffix: string): string[][] {
  return Object.entries(passAt).map(([k, rate]) =>
    rate === null
      ? [`pass@${k}${suffix}`, '-', `no problem has ${countText(Number(k), 'judged sample')}`, '0']
      : [
          `pass@${k}${suffix}`,
          percentText(rate.estimate),
          `${percentText(rate.low)} to ${percentText(rate.high)}`,
          String(rate.problems),
        ],
  )
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

/** Where the test scripts of the samples ran, one line for each place and language. */
function separations(grades: Grades): string[] {
  return [...grades.separations].flatMap(([language, counts]) =>
    SEPARATIONS.filter((one) => counts[one] > 0).map(
      (one) =>
        `tests of ${countText(counts[one], 'sample')} in ${language} ran in ${SEPARATION_WORDS[one]}\n`,
    ),
  )
}

/** Samples that the caller's own programs failed to judge, and whether they count. */
function judgeErrors(grades: Grades): string[] {
  const count = grades.counts.judge_error
  if (count === 0) return []
  const scored = grades.excludedCount > 0 ? 'not counted' : 'counted as not passed'
  return [`judge errors: ${count}, ${scored}\n`, remarks(grades.judgeErrors, count)]
}

/** Samples of which only their own code could tell whether they are right, and what the caller can do. */
function unverified(grades: Grades): string[] {
  const count = grades.counts.unverified
  if (count === 0) return []
  const advice = '--separation none judges them in the process of their code'
  return [`unverified: ${count}, counted as not passed; ${advice}\n`, remarks(grades.unverified, count)]
}

/** The first remarks, one per line. */
function remarks(found: readonly Remark[], count: number): string {
  const lines = found
    .slice(0, MAX_REMARKS)
    .map(
      ({ number, problem, text }) =>
        `  sample ${number} of ${firstLine(problem, MAX_NAME)}: ${firstLine(inBrief(text), MAX_REASON)}\n`,
    )
  return `${lines.join('')}${count > lines.length ? `  and ${count - lines.length} more\n` : ''}`
}

/** A reason whose stderr, if any, is reduced to the error itself: in a traceback it comes last. */
function inBrief(text: string): string {
  const [how = '', ...stderr] = text.split('; stderr: ')
  const error = stderr
    .join('; stderr: ')
    .split('\n')
    .findLast((line) => ERROR_LINE.test(line))
  return error === undefined ? text : `${how}; stderr: ${error}`
}

/** A table whose first column is text and whose other columns are numbers. */
function table(heads: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const columns = heads.map(
    (head, at): Column => (at === 0 ? { head, flexible: true } : { head, align: 'right' }),
  )
  return tableText(columns, rows, width)
}

import { factor, verdict, withUnit } from './format.ts'
import type { Report } from './report.ts'

/** The promises and what became of them, for a terminal. */
export function targetTable({ rows, seed }: Report): string {
  const lines = rows
    .filter(({ target, reason }) => target !== null && reason !== 'this case was not run')
    .map((row) => [
      verdict(row.met),
      row.case,
      row.contender,
      `${row.metric} ${withUnit(row.value, row.unit)}`,
      [factor(row.ratio), row.baseline && `(${row.baseline})`].filter(Boolean).join(' '),
      row.target ?? '',
      row.reason ?? '',
    ])
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0), 0),
  )
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `${[...text, `seed ${seed}`].join('\n')}\n`
}

import { factor, short, verdict, withUnit } from './format.ts'
import type { Report } from './report.ts'

/** Text for a terminal: the measurements, then the targets and whether they were met. */
export function terminalText(report: Report): string {
  return [measurements(report), targets(report), `seed ${report.seed}`]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n')
}

function measurements({ cases, summaries }: Report): string {
  const rows = cases.flatMap(({ name }) =>
    summaries
      .filter((one) => one.case === name && one.unit !== 'share')
      .map(({ contender, metric, value, unit, p95, p99, samples }) => [
        name,
        contender,
        metric,
        withUnit(value, unit),
        ...(samples === 1 ? ['', ''] : [short(p95), short(p99)]),
      ]),
  )
  return rows.length === 0 ? '' : columns([['case', 'contender', 'metric', 'median', 'p95', 'p99'], ...rows])
}

function targets({ rows }: Report): string {
  return columns(
    rows
      .filter(({ target, reason }) => target !== null && reason !== 'this case was not run')
      .map((row) => [
        verdict(row.met),
        row.case,
        row.contender,
        `${row.metric} ${withUnit(row.value, row.unit)}`,
        [factor(row.ratio), row.baseline && `(${row.baseline})`].filter(Boolean).join(' '),
        row.target ?? '',
        row.reason ?? '',
      ]),
  )
}

function columns(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

import type { Summary } from '../measure/book.ts'
import { REST } from '../measure/bounds.ts'
import { PART } from '../names.ts'
import { factor, short, verdict, withUnit } from './format.ts'
import type { Report } from './report.ts'

/** The generated part of the page: promises, measurements, machine, and bounds. */
export function markdownOf(report: Report, charts: readonly string[]): string {
  return [
    place(report),
    '## Promises\n',
    promises(report),
    ...charts.map((file) => `![${file.replace('.svg', '')}](${file})\n`),
    '## Measurements\n',
    'Median with the 95 % interval of the bootstrap (10,000 resamples); `p95` and `p99` are the high quantiles of a time, and the low ones of a rate.\n',
    ...report.cases.map(({ name, title }) => measurements(report, name, title)),
    bounds(report),
    notes(report),
  ].join('\n')
}

function place({
  machine,
  versions,
  loadAverage,
  othersUseCores,
  seed,
  quick,
  seconds,
  day,
  workerSettings,
}: Report): string {
  const size = quick ? 'a quick run' : 'a full run'
  const settings = Object.entries(workerSettings).map(([name, value]) => `\`${name}=${value}\``)
  return [
    `Measured on ${day} by ${size} of ${seconds} s, seed ${seed}, on ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB,`,
    `Linux ${machine.kernel}, cgroup ${machine.cgroup}, ${machine.storage}; ${Object.entries(versions)
      .map((pair) => pair.join(' '))
      .join(', ')}.`,
    `Load average before: ${loadAverage.join(', ')}; others used ${othersUseCores} cores. Worker: defaults, but ${settings.join(', ')}.\n`,
  ].join('\n')
}

function promises({ rows }: Report): string {
  return table(
    ['', 'case', 'contender', 'measured', 'against', 'promise'],
    rows
      .filter(({ target }) => target !== null)
      .map((row) => [
        row.reason === undefined ? verdict(row.met) : `${verdict(row.met)}: ${row.reason}`,
        row.case,
        row.contender,
        `${row.metric} ${withUnit(row.value, row.unit)}`,
        [factor(row.ratio), row.baseline].filter(Boolean).join(' '),
        row.target ?? '',
      ]),
  )
}

function measurements({ summaries }: Report, name: string, title: string): string {
  const ours = summaries.filter((summary) => summary.case === name)
  const rows = ours.filter(({ unit }) => unit !== 'share')
  if (rows.length === 0) return ''
  const head = ['contender', 'metric', 'median', 'interval', 'p95', 'p99', 'best', 'samples', 'containers']
  const cells = rows.map((row) => [
    ...measurement(row),
    row.metric.startsWith(PART) ? '' : containers(ours, row.contender),
  ])
  return [`### ${name}\n`, `${title[0]?.toUpperCase()}${title.slice(1)}.\n`, table(head, cells)].join('\n')
}

function measurement(one: Summary): string[] {
  const spread =
    one.samples === 1
      ? ['', '', '', '']
      : [one.interval.map(short).join(' – '), ...[one.p95, one.p99, one.best].map(short)]
  return [one.contender, one.metric, withUnit(one.value, one.unit), ...spread, String(one.samples)]
}

/** The shares of a contender's jobs with a pooled, shared or preloaded container, in words. */
function containers(summaries: readonly Summary[], contender: string): string {
  const shares = summaries.filter((summary) => summary.contender === contender && summary.unit === 'share')
  const parts = shares
    .filter(({ value }) => value > 0)
    .map(({ metric, value }) => `${withUnit(value, 'share')} ${metric.replace('share ', '')}`)
  if (shares.length === 0) return ''
  return parts.join(', ') || 'all made for their job'
}

function bounds({ bounds, machine }: Report): string {
  const all = Object.entries(bounds)
  if (all.length === 0) return ''
  const known = new Set(all.flatMap(([, { processorMs }]) => Object.keys(processorMs)))
  known.delete(REST)
  const who = [...known, REST]
  const steps = [...new Set(all.flatMap(([, { stepsMs }]) => Object.keys(stepsMs)))]
  return [
    '## What bounds it\n',
    `Hello in Python at saturation: processor time per program in milliseconds, by who spends it, and the rate that ${machine.cores} cores allow at that cost.\n`,
    table(
      ['contender', ...who, 'together', 'at most'],
      all.map(([name, { processorMs }]) => {
        const together = Object.values(processorMs).reduce((sum, ms) => sum + ms, 0)
        return [
          name,
          ...who.map((one) => short(processorMs[one] ?? 0)),
          short(together),
          withUnit((machine.cores * 1000) / together, '/s'),
        ]
      }),
    ),
    'Engine calls of the worker, in milliseconds per program; several are under way at once.\n',
    table(
      ['contender', ...steps],
      all
        .filter(([, { stepsMs }]) => Object.keys(stepsMs).length > 0)
        .map(([name, { stepsMs }]) => [name, ...steps.map((step) => short(stepsMs[step] ?? 0))]),
    ),
  ].join('\n')
}

function notes({ notes, missing }: Report): string {
  const lost = missing.map((one) => `${one.case}, ${one.contender}: ${one.kind}: ${one.reason}`)
  return ['## Notes\n', ...[...notes, ...lost].map((line) => `- ${line}`), ''].join('\n')
}

/** A table with columns padded like the formatter does. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')),
  )
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const [first = [], ...rest] = cells
  return `${[line(first), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest.map(line)].join('\n')}\n`
}

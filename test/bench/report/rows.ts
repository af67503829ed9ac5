import type { Missing, Summary, Unit } from '../measure/book.ts'
import { TARGETS, type Target } from './targets.ts'

/** One line of the results, as `--json` writes it. */
export interface Row {
  readonly case: string
  readonly contender: string
  readonly metric: string
  /** Null if it could not be measured. */
  readonly value: number | null
  readonly unit: Unit
  /** Contender of the same case that `ratio` compares with. */
  readonly baseline: string | null
  /** How many times better than the baseline: its time divided by this time, or this rate divided by its rate. */
  readonly ratio: number | null
  /** The target in words; null for a row without one. */
  readonly target: string | null
  /** Whether the target is met; null if there is none, or if it could not be judged. */
  readonly met: boolean | null
  /** Why the target could not be judged. */
  readonly reason?: string
}

/** The measurements of a run, and what is missing. */
export interface Measured {
  readonly summaries: readonly Summary[]
  readonly missing: readonly Missing[]
  /** Cases that were run. */
  readonly cases: readonly string[]
}

/** One judged row for each target, then one or more rows for each series. */
export function rowsOf(measured: Measured, targets: readonly Target[] = TARGETS): Row[] {
  const judged = targets.map((target) => judge(target, measured))
  return [...judged, ...measured.summaries.flatMap(plainRows)]
}

function judge(target: Target, { summaries, missing, cases }: Measured): Row {
  const measuredOf = (contender: string, metric = target.metric) =>
    lookUp(summaries, target.case, contender, metric)
  const value = measuredOf(target.contender)
  const baseline = target.baseline === null ? undefined : measuredOf(target.baseline)
  const row = {
    case: target.case,
    contender: target.contender,
    metric: target.metric,
    value: value ?? null,
    unit: target.unit,
    baseline: target.baseline,
    ratio: value === undefined || baseline === undefined ? null : ratioOf(value, baseline, target.unit),
    target: target.words,
  }
  const needed = [target.contender, ...(target.baseline === null ? [] : [target.baseline])]
  const lost = missing.find((one) => one.case === target.case && needed.includes(one.contender))
  const reason =
    (lost && `${lost.contender}: ${lost.reason}`) ??
    (cases.includes(target.case) ? undefined : 'this case was not run') ??
    (value === undefined || (target.baseline !== null && baseline === undefined) ? 'not measured' : undefined)
  if (reason !== undefined || value === undefined)
    return { ...row, met: null, reason: reason ?? 'not measured' }
  return { ...row, met: target.holds(value, baseline ?? Number.NaN, measuredOf) }
}

/** `p50`, `p95` and `p99` for times of jobs, the median (of shares the mean) for all else. */
function lookUp(summaries: readonly Summary[], name: string, contender: string, metric: string) {
  const find = (wanted: string) =>
    summaries.find((one) => one.case === name && one.contender === contender && one.metric === wanted)
  const time = find('time')
  if (metric === 'p50') return time?.value
  if (metric === 'p95') return time?.p95
  if (metric === 'p99') return time?.p99
  return find(metric)?.value
}

function plainRows(summary: Summary): Row[] {
  const { case: name, contender, metric, unit } = summary
  const shared = { case: name, contender, unit, baseline: null, ratio: null, target: null, met: null }
  if (metric !== 'time') return [{ ...shared, metric, value: summary.value }]
  return [
    { ...shared, metric: 'p50', value: summary.value },
    { ...shared, metric: 'p95', value: summary.p95 },
    { ...shared, metric: 'p99', value: summary.p99 },
  ]
}

function ratioOf(value: number, baseline: number, unit: Unit): number {
  return unit === '/s' ? value / baseline : baseline / value
}

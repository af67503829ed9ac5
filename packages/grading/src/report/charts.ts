import { type Binned, niceStep } from './bins.ts'
import type { VerdictCounts } from './grades.ts'
import { type Html, html } from './html.ts'
import { SAMPLE_VERDICTS, VERDICT_WORDS } from './sample-verdict.ts'
import { count, counted, percentText } from './units.ts'

// Own SVG: Vega's has no class and no hover text per bar, which colour schemes and readers need; Plot needs a DOM.
const WIDTH = 480
const LEFT = 52
const RIGHT = 12

/** One bar with a part for each verdict, as wide as the verdict's share. */
export function shareBar(counts: VerdictCounts, total: number): Html {
  let from = 0
  const parts = SAMPLE_VERDICTS.filter((verdict) => counts[verdict] > 0).map((verdict) => {
    const width = (counts[verdict] / total) * WIDTH
    const part = html`<rect class="v-${verdict}" x="${round(from)}" y="0" width="${round(Math.max(width, 1))}" height="28"><title>${VERDICT_WORDS[verdict]}: ${counted(counts[verdict], 'sample')}, ${percentText(counts[verdict] / total)}</title>
      </rect>`
    from += width
    return part
  })
  return html`<svg class="shares" viewBox="0 0 ${WIDTH} 28" preserveAspectRatio="none" role="img" aria-label="Verdict shares; the table below has the numbers">${parts}
    </svg>`
}

/** An estimate with its interval, shares from 0 to 1. */
export interface Interval {
  readonly label: string
  readonly estimate: number
  readonly low: number
  readonly high: number
}

const ROW = 34
const LABEL = 84

/** Estimates on one axis from 0 to 100 %, each with its interval. */
export function intervalChart(title: string, rows: readonly Interval[]): Html {
  const width = WIDTH - LABEL - RIGHT
  const x = (share: number) => round(LABEL + share * width)
  const bottom = rows.length * ROW + 8
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      html`<line class="grid" x1="${x(share)}" x2="${x(share)}" y1="4" y2="${bottom}"/>
        <text x="${x(share)}" y="${bottom + 18}" text-anchor="${share === 1 ? 'end' : 'middle'}">${share * 100} %</text>`,
  )
  const marks = rows.map(({ label, estimate, low, high }, at) => {
    const y = at * ROW + ROW / 2 + 4
    return html`<text x="${LABEL - 12}" y="${y}" dy="0.35em" text-anchor="end" class="strong">${label}</text>
      <rect class="band" x="${x(low)}" y="${y - 7}" width="${round(Math.max(2, (high - low) * width))}" height="14" rx="3"/>
      <circle class="dot" cx="${x(estimate)}" cy="${y}" r="5.5"><title>${label}: ${percentText(estimate)}, 95 % interval ${percentText(low)} to ${percentText(high)}</title>
      </circle>`
  })
  return html`<svg viewBox="0 0 ${WIDTH} ${bottom + 24}" role="img" aria-label="${title}; the table below has the numbers">${grid}${marks}
    </svg>`
}

/** The texts of a histogram. */
export interface HistogramText {
  readonly title: string
  /** Below the horizontal axis, with the unit. */
  readonly axis: string
  /** Formats a value of the horizontal axis. */
  readonly tick: (value: number) => string
}

const HEIGHT = 228
const TOP = 12
const BASE = 176

/** Bars of samples that passed, and on top of them those of the others. */
export function histogram({ bins, ticks }: Binned, { title, axis, tick }: HistogramText): Html {
  const highest = bins.reduce((top, { passed, others }) => Math.max(top, passed + others), 1)
  const step = Math.max(1, niceStep(highest / 4))
  const top = Math.ceil(highest / step) * step
  const slot = (WIDTH - LEFT - RIGHT) / bins.length
  const y = (value: number) => round(BASE - (value / top) * (BASE - TOP))
  const gap = Math.min(2, slot / 5)
  const lines = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step).map(
    (value) =>
      html`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}"/>
        <text x="${LEFT - 8}" y="${y(value)}" dy="0.35em" text-anchor="end">${count(value)}</text>`,
  )
  const bars = bins.map(({ low, high, passed, others }, at) => {
    if (passed + others === 0) return undefined
    const x = round(LEFT + at * slot + gap / 2)
    const width = round(Math.max(0.5, slot - gap))
    return html`<g><title>${tick(low)} to ${tick(high)}: ${count(passed)} passed, ${count(others)} did not</title>${passed > 0 ? html`<rect class="v-passed" x="${x}" y="${y(passed)}" width="${width}" height="${round(BASE - y(passed))}"/>` : undefined}${others > 0 ? html`<rect class="v-others" x="${x}" y="${y(passed + others)}" width="${width}" height="${round(y(passed) - y(passed + others))}"/>` : undefined}
      </g>`
  })
  const marks = ticks.map(({ at, value }) => {
    const x = round(LEFT + at * (WIDTH - LEFT - RIGHT))
    return html`<line class="axis" x1="${x}" x2="${x}" y1="${BASE}" y2="${BASE + 5}"/>
      <text x="${x}" y="${BASE + 19}" text-anchor="${at > 0.97 ? 'end' : 'middle'}">${tick(value)}</text>`
  })
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}; the table below has the numbers">${lines}${bars}
    <line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${BASE}" y2="${BASE}"/>${marks}
    <text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle" class="strong">${axis}</text>
    <text x="10" y="${(TOP + BASE) / 2}" text-anchor="middle" transform="rotate(-90 10 ${(TOP + BASE) / 2})" class="strong">samples</text>
    </svg>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

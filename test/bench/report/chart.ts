import { short } from './format.ts'

/** One bar: a value and the interval that it lies in. */
export interface Bar {
  readonly label: string
  readonly value: number
  readonly interval: readonly [low: number, high: number]
}

/** Bars of one unit, the longest as long as the picture is wide. */
export interface Chart {
  readonly title: string
  readonly unit: string
  readonly bars: readonly Bar[]
}

const WIDTH = 720
const LABEL = 220
const VALUE = 90
const ROW = 26
const TOP = 44

/** Draws horizontal bars with their intervals, readable on light and dark ground. */
export function svgOf({ title, unit, bars }: Chart): string {
  const longest = Math.max(
    ...bars.map(({ value, interval }) => Math.max(value, interval[1])),
    Number.MIN_VALUE,
  )
  const width = (value: number) => (value / longest) * (WIDTH - LABEL - VALUE)
  const height = TOP + bars.length * ROW + 10
  const rows = bars.map((bar, at) => {
    const y = TOP + at * ROW
    const middle = y + ROW / 2
    const [low, high] = bar.interval.map((value) => round(LABEL + width(value)))
    const colour = bar.label.startsWith('isopod') ? '#2f7ed8' : '#8a8f98'
    return [
      text(LABEL - 8, middle, bar.label, 'end'),
      `<rect x="${LABEL}" y="${y + 4}" width="${round(width(bar.value))}" height="${ROW - 8}" fill="${colour}"/>`,
      `<path d="M${low} ${middle}H${high}M${low} ${middle - 4}v8M${high} ${middle - 4}v8" stroke="#1b1f24" fill="none"/>`,
      text(Math.max(LABEL + width(bar.value), high ?? 0) + 8, middle, `${short(bar.value)} ${unit}`, 'start'),
    ].join('\n')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}" font-family="sans-serif" font-size="13" fill="#24292f">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="12" y="26" font-size="15" font-weight="bold">${escaped(title)}</text>`,
    ...rows,
    '</svg>\n',
  ].join('\n')
}

function text(x: number, y: number, content: string, anchor: 'start' | 'end'): string {
  return `<text x="${round(x)}" y="${y}" dy="0.35em" text-anchor="${anchor}">${escaped(content)}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(content: string): string {
  return content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

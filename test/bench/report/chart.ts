import { parse, View } from 'vega'
import { compile } from 'vega-lite'
import { short } from './format.ts'

/** One bar: a value and its confidence interval. */
export interface Bar {
  readonly label: string
  readonly value: number
  readonly interval: readonly [low: number, high: number]
}

/** Bars with the same unit on one axis from zero. */
export interface Chart {
  readonly title: string
  readonly unit: string
  readonly bars: readonly Bar[]
}

/** Draws horizontal bars with their intervals as SVG, on a white background for light and dark pages. */
export async function svgOf({ title, unit, bars }: Chart): Promise<string> {
  const values = bars.map(({ label, value, interval: [low, high] }) => ({
    label,
    value,
    low,
    high,
    right: Math.max(value, high),
    text: `${short(value)} ${unit}`,
    ours: label.startsWith('isopod'),
  }))
  const { spec } = compile({
    title,
    background: 'white',
    width: 420,
    height: { step: 26 },
    data: { values },
    encoding: { y: { field: 'label', type: 'nominal', sort: null, title: null } },
    layer: [
      {
        mark: 'bar',
        encoding: {
          x: { field: 'value', type: 'quantitative', title: null },
          color: {
            field: 'ours',
            scale: { domain: [true, false], range: ['#2f7ed8', '#8a8f98'] },
            legend: null,
          },
        },
      },
      {
        mark: { type: 'errorbar', ticks: true },
        encoding: { x: { field: 'low', type: 'quantitative', title: null }, x2: { field: 'high' } },
      },
      {
        mark: { type: 'text', align: 'left', dx: 8 },
        encoding: { x: { field: 'right', type: 'quantitative', title: null }, text: { field: 'text' } },
      },
    ],
  })
  return `${await new View(parse(spec)).toSVG()}\n`
}

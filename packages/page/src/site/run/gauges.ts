import type { Result } from '@isopod/protocol'
import { byId, element } from '../parts/dom.ts'
import { bytes, durationText } from '../parts/figures.ts'

const MIB = 1024 * 1024

interface Gauge {
  readonly name: string
  readonly used: number | null
  /** Null: there is no limit. */
  readonly limit: number | null
  readonly shown: (value: number) => string
}

/** Shows how much of each limit an execution has used. */
export function showGauges(result: Result): void {
  const gauges = gaugesOf(result).filter(({ used }) => used !== null)
  const list = element('ul', { class: 'gauges' }, ...gauges.map(gaugeElement))
  byId('gauges', HTMLElement).replaceChildren(element('h3', {}, 'Limits'), list)
}

function gaugesOf(result: Result): Gauge[] {
  const { limitsApplied: limits, cpuUserMs, cpuSysMs, outputBytes } = result
  if (limits === null) return []
  const cpuMs = cpuUserMs === null || cpuSysMs === null ? null : cpuUserMs + cpuSysMs
  const count = (value: number) => String(value)
  return [
    { name: 'Wall time', used: result.wallMs, limit: limits.timeoutSeconds * 1000, shown: durationText },
    {
      name: 'CPU time',
      used: cpuMs,
      limit: limits.cpuSeconds === null ? null : limits.cpuSeconds * 1000,
      shown: durationText,
    },
    { name: 'Memory', used: result.memoryPeakBytes, limit: limits.memoryMb * MIB, shown: bytes },
    { name: 'Processes', used: result.processesPeak, limit: limits.processes, shown: count },
    { name: 'Stdout', used: outputBytes.stdout, limit: limits.outputBytes, shown: bytes },
    { name: 'Stderr', used: outputBytes.stderr, limit: limits.outputBytes, shown: bytes },
  ]
}

function gaugeElement({ name, used, limit, shown }: Gauge): HTMLElement {
  const value = used ?? 0
  const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, value / limit)
  const words = limit === null ? `${shown(value)}, no limit` : `${shown(value)} of ${shown(limit)}`
  const fill = element('span', {
    class: 'gauge-fill',
    'data-level': share >= 1 ? 'full' : share > 0.8 ? 'high' : 'ok',
  })
  fill.style.setProperty('width', `${share * 100}%`)
  return element(
    'li',
    {},
    element('span', { class: 'gauge-name' }, name),
    element('span', { class: 'gauge-words' }, words),
    element('span', { class: 'gauge', 'data-limited': limit !== null, 'aria-hidden': 'true' }, fill),
  )
}

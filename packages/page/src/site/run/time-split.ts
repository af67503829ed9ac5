import type { Result } from '@isopod/protocol'
import { byId, element } from '../parts/dom.ts'
import { durationText } from '../parts/figures.ts'

interface Stage {
  readonly name: string
  readonly title: string
  readonly ms: number
}

/** Omits parts that would be shown as 0 ms. */
const MIN_MS = 0.05

/** Shows the time of each stage of an execution as a bar and as a list. */
export function showTimeSplit(result: Result): void {
  const stages = stagesOf(result).filter(({ ms }) => ms >= MIN_MS)
  const total = stages.reduce((sum, { ms }) => sum + ms, 0)
  const bar = element('div', { class: 'split', 'aria-hidden': 'true' })
  const list = element('ul', { class: 'legend' })
  for (const { name, title, ms } of stages) {
    const part = element('span', {
      class: 'split-part',
      'data-stage': name,
      title: `${title}: ${durationText(ms)}`,
    })
    part.style.setProperty('flex-grow', String(ms / total))
    bar.append(part)
    const dot = element('span', { class: 'dot', 'data-stage': name, 'aria-hidden': 'true' })
    list.append(element('li', {}, dot, `${title} `, element('b', {}, durationText(ms))))
  }
  const heading = element('h3', {}, 'Time ', element('b', {}, durationText(total)))
  byId('time-split', HTMLElement).replaceChildren(heading, bar, list)
}

function stagesOf(result: Result): Stage[] {
  const { timings } = result
  return [
    { name: 'queued', title: 'Queue', ms: timings.queued },
    { name: 'policy', title: 'Check', ms: timings.policy },
    { name: 'acquire', title: 'Start', ms: timings.acquire },
    ...runStages(result),
    { name: 'collect', title: 'Collect', ms: timings.collect + timings.publish },
  ]
}

/** `run` includes the compile run; `wallMs` is only the program. */
function runStages({ timings, wallMs, compileOutput, status }: Result): Stage[] {
  if (compileOutput === undefined) return [{ name: 'run', title: 'Run', ms: timings.run }]
  const program = status === 'compile_error' ? 0 : Math.min(timings.run, wallMs ?? 0)
  return [
    { name: 'compile', title: 'Compile', ms: timings.run - program },
    { name: 'run', title: 'Run', ms: program },
  ]
}

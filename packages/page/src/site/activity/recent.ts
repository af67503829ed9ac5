import { byId, element } from '../parts/dom.ts'
import { ago, durationText } from '../parts/figures.ts'
import { shownText } from '../parts/shown-text.ts'
import { statusWords, type Tone } from '../run/verdict.ts'

/** One execution of `GET /v1/executions?details=true`. */
export interface RecentExecution {
  readonly id: string
  readonly submittedAt: string
  readonly state: 'waiting' | 'running' | 'finished' | 'unknown'
  readonly status: string | null
  readonly language: string | null
  readonly wallMs: number | null
}

/** Shows the recent executions as links. */
export function showRecent(executions: readonly RecentExecution[]): void {
  const list = byId('recent', HTMLElement)
  byId('recent-empty', HTMLElement).hidden = executions.length > 0
  const focused = document.activeElement?.getAttribute('href')
  const items = executions
    .filter(({ state }) => state !== 'unknown')
    .map((execution) => element('li', {}, linkTo(execution)))
  list.replaceChildren(...items)
  // Keeps the keyboard focus on the same entry.
  for (const link of list.querySelectorAll('a')) if (link.getAttribute('href') === focused) link.focus()
}

function linkTo({ id, submittedAt, state, status, language, wallMs }: RecentExecution): HTMLAnchorElement {
  const [label, tone] = status === null ? stateWords(state) : statusWords(status)
  const href = `#/executions/${encodeURIComponent(id)}`
  const link = element(
    'a',
    { href, ...(location.hash === href && { 'aria-current': 'true' }) },
    element('span', { class: 'recent-language' }, ...shownText(language ?? `…${id.slice(-8)}`)),
    element('span', { class: 'badge small', 'data-tone': tone }, label),
    element('span', { class: 'recent-time' }, ago(Date.now() - Date.parse(submittedAt))),
    element('span', { class: 'recent-wall' }, wallMs === null ? '' : durationText(wallMs)),
  )
  link.title = id
  return link
}

function stateWords(state: string): readonly [label: string, tone: Tone] {
  return state === 'running' ? ['Running', 'busy'] : ['Waiting', 'quiet']
}

import { byId, element, setText } from '../parts/dom.ts'

/** `GET /v1/queue`. */
export interface QueueNumbers {
  readonly waiting: number
  readonly running: number
  readonly slots: number
  readonly workers: number
  readonly oldestWaitingSeconds: number
}

/** More slots than this are shown only as a number. */
const MAX_SLOTS_DRAWN = 64

/** Shows the length of the queue and how many slots of the workers are in use. */
export function showQueue({ waiting, running, slots, workers, oldestWaitingSeconds }: QueueNumbers): void {
  setText(byId('queue-waiting', HTMLElement), String(waiting))
  setText(byId('queue-running', HTMLElement), `${running} of ${slots}`)
  setText(byId('queue-workers', HTMLElement), String(workers))
  const oldest = waiting === 0 ? '' : `The next one has waited for ${Math.round(oldestWaitingSeconds)} s.`
  setText(byId('queue-oldest', HTMLElement), workers === 0 ? 'No worker is connected.' : oldest)
  const drawn = byId('slots', HTMLElement)
  const count = slots > MAX_SLOTS_DRAWN ? 0 : slots
  while (drawn.childElementCount > count) drawn.lastElementChild?.remove()
  while (drawn.childElementCount < count) drawn.append(element('span', { class: 'slot' }))
  for (const [index, slot] of [...drawn.children].entries()) slot.classList.toggle('taken', index < running)
}

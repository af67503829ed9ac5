import { Refused } from './api.ts'
import { byId } from './dom.ts'
import type { KeyDialog } from './key-dialog.ts'

/** The page's line for errors; screen readers announce it. */
export interface Notice {
  show(text: string): void
  /** Shows why a request failed; opens the key dialog if a key is needed. */
  failure(error: unknown): void
  clear(): void
}

/** Makes the notice of the page. */
export function createNotice(keyDialog: () => KeyDialog): Notice {
  const line = byId('notice', HTMLElement)
  const show = (text: string) => {
    line.textContent = text
    line.hidden = text === ''
  }
  return {
    show,
    failure(error) {
      if (keyDialog().openFor(error)) return
      const text = error instanceof Error ? error.message : String(error)
      const seconds = error instanceof Refused ? error.retryAfterSeconds : undefined
      const hint = seconds === undefined || /try again in/i.test(text) ? '' : ` Try again in ${seconds} s.`
      show(`${text}${hint}`)
    },
    clear: () => show(''),
  }
}

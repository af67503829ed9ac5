import { apiKey, Refused } from './api.ts'
import { byId } from './dom.ts'

/** The dialog that asks for an API key. */
export interface KeyDialog {
  /**
   * Opens the dialog if a request was refused for its key.
   *
   * @param isUnasked the page made the request on its own: the dialog stays closed if the user has closed it before
   * @returns whether the dialog is open now
   */
  openFor(error: unknown, isUnasked?: boolean): boolean
}

/** @param onChange runs after the key has changed */
export function createKeyDialog(onChange: () => void): KeyDialog {
  const dialog = byId('key-dialog', HTMLDialogElement)
  const input = byId('key-input', HTMLInputElement)
  const reason = byId('key-reason', HTMLElement)
  const button = byId('key', HTMLButtonElement)
  let isDismissed = false
  const showState = () => {
    button.hidden = apiKey.get() === ''
  }
  const open = (why: string) => {
    if (dialog.open) return
    reason.textContent = why
    input.value = apiKey.get()
    isDismissed = false
    dialog.showModal()
    input.select()
  }
  byId('key-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    apiKey.set(input.value.trim())
    dialog.close()
    showState()
    onChange()
  })
  byId('key-forget', HTMLButtonElement).addEventListener('click', () => {
    apiKey.set('')
    dialog.close()
    showState()
    onChange()
  })
  dialog.addEventListener('cancel', () => {
    isDismissed = true
  })
  button.addEventListener('click', () => open('This tab uses the key below.'))
  showState()
  return {
    openFor(error, isUnasked = false) {
      if (!(error instanceof Refused) || error.status !== 401) return false
      button.hidden = false
      if (isUnasked && isDismissed) return false
      open(apiKey.get() === '' ? 'This gateway asks for an API key.' : error.message)
      return true
    },
  }
}

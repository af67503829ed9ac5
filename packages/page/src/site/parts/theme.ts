import { byId } from './dom.ts'

const KEY = 'isopod-theme'

/** Light or dark as the system says, until the button of the bar says otherwise; the choice is remembered. */
export function startTheme(): void {
  const button = byId('theme', HTMLButtonElement)
  const system = matchMedia('(prefers-color-scheme: dark)')
  const isDark = () => {
    const chosen = localStorage.getItem(KEY)
    return chosen === null ? system.matches : chosen === 'dark'
  }
  const apply = () => {
    document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light'
    button.setAttribute('aria-pressed', String(isDark()))
  }
  button.addEventListener('click', () => {
    localStorage.setItem(KEY, isDark() ? 'light' : 'dark')
    apply()
  })
  system.addEventListener('change', apply)
  apply()
}

import { byId } from './dom.ts'

const KEY = 'isopod-theme'

/** Follows the system's light or dark theme, unless the user has chosen one with the button; stores the choice. */
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

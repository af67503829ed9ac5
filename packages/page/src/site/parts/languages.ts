import type { LanguageSummary } from '@isopod/protocol'
import { callJson } from './api.ts'
import { byId, element } from './dom.ts'

const KEY = 'isopod-language'

/** The language picker. */
export interface LanguagePicker {
  /** The chosen language; empty until languages are loaded. */
  readonly value: string
  /** Loads the languages that workers offer. @throws what `callJson` throws */
  load(): Promise<void>
}

/** @param onPick runs when another language is chosen */
export function createLanguagePicker(onPick: (language: string) => void): LanguagePicker {
  const select = byId('language', HTMLSelectElement)
  const picked = () => {
    localStorage.setItem(KEY, select.value)
    onPick(select.value)
  }
  select.addEventListener('change', picked)
  return {
    get value() {
      return select.value
    },
    async load() {
      const { languages } = await callJson<{ languages: LanguageSummary[] }>('/v1/languages')
      const before = select.value
      const usable = languages.filter(({ missingImage }) => missingImage === undefined)
      const options = usable.map(({ name, version }) =>
        element('option', { value: name }, `${name} ${version}`),
      )
      if (options.length === 0) options.push(element('option', { value: '' }, 'no language offered'))
      select.replaceChildren(...options)
      for (const wanted of ['python', localStorage.getItem(KEY) ?? '', before]) {
        if (usable.some(({ name }) => name === wanted)) select.value = wanted
      }
      if (select.value !== before) onPick(select.value)
    },
  }
}

import type { Result, Status } from '@isopod/protocol'
import { byId, element, setText } from '../parts/dom.ts'
import { bytes, durationText } from '../parts/figures.ts'
import { shownText } from '../parts/shown-text.ts'

/** The tone of a state, which decides its colour. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet'

const WORDS: Readonly<Record<Status, readonly [label: string, tone: Tone]>> = {
  success: ['Success', 'good'],
  execution_error: ['Failed', 'bad'],
  compile_error: ['Compile error', 'bad'],
  timeout: ['Timeout', 'warn'],
  memory_exceeded: ['Out of memory', 'warn'],
  output_exceeded: ['Too much output', 'warn'],
  validation_error: ['Refused', 'bad'],
  cancelled: ['Cancelled', 'quiet'],
  setup_error: ['Platform error', 'bad'],
}

/** Label and tone of a status. A status that this page does not know is shown by its name. */
export function statusWords(status: string): readonly [label: string, tone: Tone] {
  return Object.hasOwn(WORDS, status) ? WORDS[status as Status] : [status, 'quiet']
}

/** The line above the output with the state of the execution. */
export interface VerdictView {
  /** `detail` changes often, so screen readers do not announce it. */
  state(label: string, tone: Tone, detail?: string): void
  detail(text: string): void
  result(result: Result): void
}

/** Makes the verdict line of the page. */
export function createVerdict(): VerdictView {
  const badge = byId('badge', HTMLElement)
  const detail = byId('verdict-detail', HTMLElement)
  const explanation = byId('explanation', HTMLElement)
  const state = (label: string, tone: Tone, text = '') => {
    setText(badge, label)
    badge.dataset['tone'] = tone
    detail.textContent = text
    explanation.replaceChildren()
  }
  return {
    state,
    detail(text) {
      detail.textContent = text
    },
    result(result) {
      const [label, tone] = statusWords(result.status)
      state(label, tone)
      detail.textContent = factsOf(result).join(' · ')
      const sentences = [result.errorMessage ?? '', ...result.validationErrors, ...result.warnings]
      for (const sentence of new Set(sentences)) {
        if (sentence !== '') explanation.append(element('p', {}, ...shownText(sentence)))
      }
      // After a compile error the output is the compiler's.
      if (result.compileOutput && result.compileOutput !== result.stderr) {
        explanation.append(element('pre', { class: 'compiler' }, ...shownText(result.compileOutput)))
      }
    },
  }
}

function factsOf(result: Result): string[] {
  const { exitCode, signal, wallMs, memoryPeakBytes } = result
  return [
    ...(exitCode !== null ? [`exit code ${exitCode}`] : []),
    ...(signal !== null ? [signal] : []),
    ...(wallMs !== null ? [durationText(wallMs)] : []),
    ...(memoryPeakBytes !== null ? [bytes(memoryPeakBytes)] : []),
    result.language,
    ...(result.cached ? ['from the cache'] : []),
  ]
}

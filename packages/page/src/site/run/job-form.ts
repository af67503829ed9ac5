import type { JobInput, LimitsRequest, Policy } from '@isopod/protocol'
import type { RefusedField } from '../parts/api.ts'
import { byId, element } from '../parts/dom.ts'
import type { Example } from './examples.ts'

const LIMITS = [
  'timeoutSeconds',
  'cpuSeconds',
  'memoryMb',
  'cpus',
  'processes',
  'diskMb',
  'outputBytes',
] as const

/** The fields around the program: standard input, arguments, limits, policy. */
export interface JobForm {
  /** Makes the job from the program and the fields. */
  job(language: string, code: string): JobInput
  /** Fills the fields of an example and clears all others. */
  fill(example: Example): void
  /** Shows each error beside its field. @returns the errors that belong to no field */
  showErrors(errors: readonly RefusedField[]): readonly string[]
}

/** Connects the form. */
export function createJobForm(): JobForm {
  const details = byId('options', HTMLDetailsElement)
  const form = byId('options-form', HTMLFormElement)
  const fields = new Map<string, Field>()
  for (const field of form.querySelectorAll<Field>('input, select, textarea')) fields.set(field.name, field)
  // Enter in a field must not submit the form and leave the page.
  form.addEventListener('submit', (event) => event.preventDefault())
  const text = (name: string) => fields.get(name)?.value ?? ''

  return {
    job(language, code) {
      const args = linesOf(text('args'))
      const fetchFiles = linesOf(text('fetchFiles'))
      return {
        language,
        code,
        stream: true,
        ...(text('stdin') !== '' && { stdin: text('stdin') }),
        ...(args.length > 0 && { args }),
        ...(fetchFiles.length > 0 && { fetchFiles }),
        limits: limitsOf(text),
        ...policyOf(text('policy')),
      }
    },
    fill(example) {
      form.reset()
      clearErrors(fields.values())
      for (const [name, value] of Object.entries(example.fields ?? {})) {
        const field = fields.get(name)
        if (field !== undefined) field.value = value
        details.open = true
      }
    },
    showErrors(errors) {
      clearErrors(fields.values())
      const left: string[] = []
      let first: Field | undefined
      for (const { field: path, message } of errors) {
        const field = fields.get(path.replace(/\[\d+\]$/, '')) ?? fields.get(path.split('.', 1)[0] ?? '')
        if (field === undefined) {
          left.push(message)
          continue
        }
        markInvalid(field, message)
        first ??= field
      }
      if (first !== undefined) {
        details.open = true
        first.focus()
      }
      return left
    },
  }
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Splits text into one value per line; a final line break ends the last value. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** Parses a number. Other text is sent unchanged, so that the gateway explains the error. */
function limitsOf(text: (name: string) => string): LimitsRequest {
  const given = LIMITS.flatMap((name) => {
    const value = text(`limits.${name}`).trim()
    if (value === '') return []
    const number = Number(value)
    return [[name, Number.isNaN(number) ? value : number]]
  })
  return Object.fromEntries(given) as LimitsRequest
}

/** `warn:strict` → mode and rules; empty: the deployment's default. */
function policyOf(text: string): { policy?: Policy } {
  const [mode = '', rules = ''] = text.split(':')
  return mode === '' ? {} : { policy: { mode, rules } as Policy }
}

function markInvalid(field: Field, message: string): void {
  const id = `error-${field.id}`
  document.getElementById(id)?.remove()
  // Drops the field's name from the message, because the label shows it.
  field.after(element('p', { id, class: 'field-error' }, message.replace(/^[\w.[\]]+: /, '')))
  field.setAttribute('aria-invalid', 'true')
  field.setAttribute('aria-describedby', id)
}

function clearErrors(fields: Iterable<Field>): void {
  for (const field of fields) {
    document.getElementById(`error-${field.id}`)?.remove()
    field.removeAttribute('aria-invalid')
    field.removeAttribute('aria-describedby')
  }
}

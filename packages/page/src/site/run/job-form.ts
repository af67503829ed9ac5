import type { JobInput, LimitsRequest, Policy } from '@isopod/protocol'
import type { FieldError } from '../parts/api.ts'
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
  /** The job that program and fields make. */
  job(language: string, code: string): JobInput
  /** Fills the fields as an example needs them; all others are emptied. */
  fill(example: Example): void
  /** Shows what was refused beside the fields that it names. @returns what belongs to no field */
  showErrors(errors: readonly FieldError[]): readonly string[]
}

/** Makes the form work. */
export function createJobForm(): JobForm {
  const details = byId('options', HTMLDetailsElement)
  const form = byId('options-form', HTMLFormElement)
  const fields = new Map<string, Field>()
  for (const field of form.querySelectorAll<Field>('input, select, textarea')) fields.set(field.name, field)
  // Enter in a field is no reason to leave the page.
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

/** One value a line; the last line break ends the last one. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** What is no number goes to the gateway as it is, which says what is wrong with it. */
function limitsOf(text: (name: string) => string): LimitsRequest {
  const given = LIMITS.flatMap((name) => {
    const value = text(`limits.${name}`).trim()
    if (value === '') return []
    const number = Number(value)
    return [[name, Number.isNaN(number) ? value : number]]
  })
  return Object.fromEntries(given) as LimitsRequest
}

/** `warn:strict` → mode and rules; empty: as the deployment has it. */
function policyOf(text: string): { policy?: Policy } {
  const [mode = '', rules = ''] = text.split(':')
  return mode === '' ? {} : { policy: { mode, rules } as Policy }
}

function markInvalid(field: Field, message: string): void {
  const id = `error-${field.id}`
  document.getElementById(id)?.remove()
  // The message begins with the field's own name, which its label says already.
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

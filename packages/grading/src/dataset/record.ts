import { IsopodError, visible } from '@isopod/protocol'

/** File and line of a record, for errors. */
export interface Place {
  readonly file: string
  /** From 1. */
  readonly line: number
}

/** A file of problems or samples is invalid; the message names file, line and field. */
export class DatasetError extends IsopodError {
  readonly code = 'dataset'

  constructor(place: Place, problem: string) {
    super(`${place.file}:${place.line}: ${problem}`)
  }
}

/** Maximum length of a quote in an error, in characters. */
const MAX_QUOTE = 60
/** Maximum length of a problem's name, in characters. */
const MAX_NAME = 256

/** One object of a file. Its readers refuse missing values and values of a wrong type. */
export class Fields {
  readonly #fields: Readonly<Record<string, unknown>>
  readonly place: Place
  readonly #path: string

  /** @throws {DatasetError} unless it is an object */
  constructor(value: unknown, place: Place, path = '') {
    this.place = place
    this.#path = path
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new DatasetError(place, `${path || 'record'}: must be an object, got ${shown(value)}`)
    }
    this.#fields = value as Readonly<Record<string, unknown>>
  }

  /** The value of an own field; undefined if it is missing or null. */
  raw(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined
  }

  /** The first of these names that has a value. */
  firstOf(names: readonly string[]): string | undefined {
    return names.find((name) => this.raw(name) !== undefined)
  }

  text(name: string): string {
    const value = this.raw(name)
    if (typeof value === 'string') return value
    throw this.fieldError(name, 'must be text', value)
  }

  /** @param missing default for a missing text */
  textOr<T extends string | undefined>(name: string, missing: T): string | T {
    return this.raw(name) === undefined ? missing : this.text(name)
  }

  /** A list of texts; empty if it is missing. */
  texts(name: string): string[] {
    const value = this.raw(name) ?? []
    if (!Array.isArray(value)) throw this.fieldError(name, 'must be a list of texts', value)
    const wrong = value.findIndex((entry) => typeof entry !== 'string')
    if (wrong === -1) return value as string[]
    throw this.fieldError(`${name}[${wrong}]`, 'must be text', value[wrong])
  }

  /** The fields of a nested object, which may be JSON in a string; undefined if it is missing. */
  object(name: string): Fields | undefined {
    const value = this.parsed(name)
    return value === undefined ? undefined : new Fields(value, this.place, this.at(name))
  }

  /** The value of a field; a string is parsed as JSON. */
  parsed(name: string): unknown {
    const value = this.raw(name)
    if (typeof value !== 'string') return value
    try {
      return JSON.parse(value)
    } catch {
      throw this.fieldError(name, 'must be JSON', value)
    }
  }

  /** The name of a problem: a text or whole number in the first of these fields that exists. */
  name(fields: readonly string[]): string {
    const field = this.firstOf(fields)
    if (field === undefined) throw this.recordError(`must have ${anyFieldOf(fields)}`)
    const value = this.raw(field)
    if (Number.isSafeInteger(value)) return String(value)
    if (typeof value === 'string' && value !== '' && value.length <= MAX_NAME) return value
    throw this.fieldError(field, `must be a text of 1 to ${MAX_NAME} characters, or a whole number`, value)
  }

  /** Makes an error about a field. */
  fieldError(name: string, rule: string, given: unknown): DatasetError {
    return new DatasetError(this.place, `${this.at(name)}: ${rule}, got ${shown(given)}`)
  }

  /** Makes an error about the record; the sentence names the field. */
  recordError(sentence: string): DatasetError {
    return new DatasetError(this.place, sentence)
  }

  /** The field's name with those of its parents. */
  at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`
  }
}

/** Words for a field that must be there under one of these names. */
export function anyFieldOf(names: readonly string[]): string {
  return names.length === 1 ? `the field ${names[0]}` : `one of the fields ${names.join(', ')}`
}

/** A value of any kind, short and on one line. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return `an object of ${Object.keys(value).length} fields`
  if (typeof value !== 'string') return String(value)
  const cut = value.length > MAX_QUOTE ? '…' : ''
  // JSON leaves characters that hide or reorder text on a screen.
  return `${visible(JSON.stringify(value.slice(0, MAX_QUOTE)))}${cut}`
}

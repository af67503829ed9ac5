import { IsopodError, visible } from '@isopod/protocol'

/** Where a record was read, as errors name it. */
export interface Place {
  readonly file: string
  /** From 1. */
  readonly line: number
}

/** A file of problems or samples is not what it should be; the message names file, line and field. */
export class DatasetError extends IsopodError {
  readonly code = 'dataset'

  constructor(place: Place, problem: string) {
    super(`${place.file}:${place.line}: ${problem}`)
  }
}

/** Characters of a given text that an error repeats. */
const SHOWN = 60
/** Longest name of a problem, in characters. */
const MAX_NAME = 256

/** One object of a file, with readers that refuse what is missing or of another kind. */
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

  /** The value itself; undefined where it is missing or null. Only own fields count: a record may be called anything. */
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
    throw this.refuse(name, 'must be text', value)
  }

  /** @param missing what stands for a text that is not there */
  textOr<T extends string | undefined>(name: string, missing: T): string | T {
    return this.raw(name) === undefined ? missing : this.text(name)
  }

  /** A list whose entries are texts; an empty one where it is missing. */
  texts(name: string): string[] {
    const value = this.raw(name) ?? []
    if (!Array.isArray(value)) throw this.refuse(name, 'must be a list of texts', value)
    const wrong = value.findIndex((entry) => typeof entry !== 'string')
    if (wrong === -1) return value as string[]
    throw this.refuse(`${name}[${wrong}]`, 'must be text', value[wrong])
  }

  /** A nested object; undefined where it is missing. Some publish it as a text of JSON. */
  object(name: string): Fields | undefined {
    const value = this.parsed(name)
    return value === undefined ? undefined : new Fields(value, this.place, this.at(name))
  }

  /** A value that may be written as a text of JSON. */
  parsed(name: string): unknown {
    const value = this.raw(name)
    if (typeof value !== 'string') return value
    try {
      return JSON.parse(value)
    } catch {
      throw this.refuse(name, 'must be JSON', value)
    }
  }

  /** The name of a problem: a text or a whole number under the first of these fields that is there. */
  name(fields: readonly string[]): string {
    const field = this.firstOf(fields)
    if (field === undefined) throw this.refuse(fields.join(' or '), 'must be there', undefined)
    const value = this.raw(field)
    if (Number.isSafeInteger(value)) return String(value)
    if (typeof value === 'string' && value !== '' && value.length <= MAX_NAME) return value
    throw this.refuse(field, `must be a text of 1 to ${MAX_NAME} characters, or a whole number`, value)
  }

  /** What to throw about a field. */
  refuse(name: string, rule: string, given: unknown): DatasetError {
    return new DatasetError(this.place, `${this.at(name)}: ${rule}, got ${shown(given)}`)
  }

  /** What to throw about the record, in words that name the field themselves. */
  refusal(sentence: string): DatasetError {
    return new DatasetError(this.place, sentence)
  }

  /** The field's name with those that it lies in. */
  at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`
  }
}

/** A value of any kind, short and on one line. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return `an object of ${Object.keys(value).length} fields`
  if (typeof value !== 'string') return String(value)
  const cut = value.length > SHOWN ? '…' : ''
  // What JSON leaves alone can still hide or turn text on a screen.
  return `${visible(JSON.stringify(value.slice(0, SHOWN)))}${cut}`
}

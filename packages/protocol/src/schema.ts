import { z } from 'zod'
import { knownNames } from './nearest-name.ts'

const encoder = new TextEncoder()

/** Size of a string in UTF-8, in bytes. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).byteLength
}

/** A size for people: `1 MiB`, `100 KiB`, `17 bytes`. */
export function sizeText(bytes: number): string {
  if (bytes >= 1024 * 1024 && bytes % (1024 * 1024) === 0) return `${bytes / 1024 / 1024} MiB`
  if (bytes >= 1024 && bytes % 1024 === 0) return `${bytes / 1024} KiB`
  return `${bytes} bytes`
}

/** JSON has no negative zero, so the queue would change the value. */
function withoutNegativeZero(value: number): number {
  return value + 0
}

/** A number within `[min, max]`; every refusal names the range. NaN, infinities and numeric strings are refused. */
export function numberBetween(min: number, max: number) {
  const error = `must be a number from ${min} to ${max}`
  return z.number({ error }).min(min, { error }).max(max, { error }).overwrite(withoutNegativeZero)
}

/** A whole number within `[min, max]`; every refusal names the range. */
export function integerBetween(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .number({ error })
    .int({ error })
    .min(min, { error })
    .max(max, { error })
    .overwrite(withoutNegativeZero)
}

/** Text of at most `maxBytes` bytes of UTF-8. */
export function textUpTo(maxBytes: number) {
  const error = `must be text of at most ${sizeText(maxBytes)}`
  return z
    .string({ error })
    .max(maxBytes, { error, abort: true })
    .refine((text) => utf8Bytes(text) <= maxBytes, { error })
}

/** One of a closed list of words; the refusal lists them. */
export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` })
}

/** A word that only a newer release knows. Editors still suggest the known words of a union with it. */
export type NewerWord = string & Record<never, never>

/** One of these words, or another that a newer release added: for what is read, not for what a caller writes. */
export function openList<const T extends readonly [string, ...string[]]>(words: T) {
  const newer: z.ZodType<NewerWord, string> = z.string()
  return z.union([z.enum(words), newer])
}

/** A short name that is safe in keys, labels and logs. */
export function nameUpTo(maxLength: number) {
  const error = `must be 1 to ${maxLength} characters of a-z, A-Z, 0-9, ".", "_" and "-", starting with a letter or digit`
  return z
    .string({ error })
    .max(maxLength, { error })
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, { error })
}

/** `true` or `false`; other truthy values are refused. */
export function flag() {
  return z.boolean({ error: 'must be true or false' })
}

const UNKNOWN_FIELD = 'unknown field; the fields are '

/** An object with exactly these fields; the refusal of an unknown field lists the known ones. */
export function fields<T extends z.ZodRawShape>(shape: T) {
  const known = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `${UNKNOWN_FIELD}${known}` : 'must be an object'),
  })
}

/** The rule for one unknown field: suggests the nearest known field, or lists all. */
export function unknownFieldRule(rule: string, given: string): string {
  if (!rule.startsWith(UNKNOWN_FIELD)) return rule
  const known = rule.slice(UNKNOWN_FIELD.length).split(', ')
  return `unknown field; ${knownNames(given, known, 'fields')}`
}

/** A list of at most `max` entries. The length is checked first, because each invalid entry would be an issue. */
export function listOf<T extends z.core.SomeType>(
  item: T,
  max: number,
  errors: { readonly list: string; readonly max: string },
) {
  const bounded = z.custom<z.input<T>[]>((given) => !Array.isArray(given) || given.length <= max, {
    error: errors.max,
    abort: true,
  })
  return bounded.pipe(z.array(item, { error: errors.list }).max(max, { error: errors.max }))
}

/**
 * An object of at most `max` entries with free names. Refuses the key `__proto__`, which zod would drop silently.
 *
 * @param errors `key` defaults to the error of the key's own schema
 */
export function recordOf<K extends z.core.$ZodRecordKey, V extends z.core.SomeType>(
  key: K,
  value: V,
  max: number,
  errors: { readonly key?: string; readonly object: string; readonly max: string },
) {
  const error = (issue: z.core.$ZodRawIssue) =>
    issue.code === 'invalid_key' ? (errors.key ?? keyRule(issue)) : errors.object
  // A string has a key per character, and listing them takes long.
  const object = z.custom<z.input<z.ZodRecord<K, V>>>(
    (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
    { error: errors.object, abort: true },
  )
  const plain = object.refine((given) => !Object.hasOwn(given, '__proto__'), {
    error: 'must have no "__proto__"',
    abort: true,
  })
  const bounded = plain.refine((given) => Object.keys(given).length <= max, {
    error: errors.max,
    abort: true,
  })
  return bounded.pipe(z.record(key, value, { error }))
}

/** The error of the key's own schema. */
function keyRule(issue: z.core.$ZodRawIssue): string {
  const [first] = issue.code === 'invalid_key' ? (issue.issues ?? []) : []
  return first?.message ?? 'must have other names'
}

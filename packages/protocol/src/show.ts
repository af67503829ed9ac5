import { visible } from './deceptive.ts'

/** Maximum length of a refused value in a message, in characters. */
const MAX_SHOWN_CHARACTERS = 40

/** Makes untrusted text safe to print on one line: cuts it at `max` characters and escapes unprintable ones. */
export function printable(text: string, max: number = MAX_SHOWN_CHARACTERS): string {
  const short = text.length > max ? `${text.slice(0, max)}…` : text
  return visible(JSON.stringify(short).slice(1, -1))
}

/** A refused value, short and on one line. @throws what the value's own code throws */
export function show(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing'
    case 'string':
      return value.length > MAX_SHOWN_CHARACTERS
        ? `text of ${value.length} characters`
        : `"${printable(value)}"`
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value)
        ? `a list of ${value.length}`
        : `an object of ${Object.keys(value).length} fields`
    case 'function':
    case 'symbol':
    case 'bigint':
      return `a ${typeof value}`
    default:
      return String(value)
  }
}

/** A thrown value as a short phrase. */
export function showThrown(thrown: unknown): string {
  try {
    const text = String(thrown instanceof Error ? thrown.message : thrown)
    return printable(text.split('\n', 1)[0] ?? '', 200)
  } catch {
    return 'no reason given'
  }
}

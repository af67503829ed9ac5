import { numberText } from './lossless-json.ts'

/** Writes a JSON value as a Python expression. */
export type PythonWriter = (value: unknown) => string

/** Python refuses decimal literals of more than 4,300 digits. */
const MAX_DIGITS = 4000

/** A JSON value as a Python literal: lists, dicts, texts, numbers, `True`, `False`, `None`. */
export const pythonLiteral: PythonWriter = (value) => {
  const number = numberText(value)
  if (number !== undefined) return numberLiteral(number)
  if (typeof value === 'string') return pythonText(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object' || value === null) return 'None'
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  return pythonDictOf(pythonLiteral)(value)
}

/** A text as a Python literal on one line. JSON's escapes are Python's, too. */
export function pythonText(text: string): string {
  return JSON.stringify(text)
}

/** A JSON list as a Python tuple; any other value as itself. */
export function pythonTupleOf(item: PythonWriter): PythonWriter {
  return (value) => (Array.isArray(value) ? pythonTuple(value.map(item)) : pythonLiteral(value))
}

/** A JSON list as a Python list with special items; any other value as itself. */
export function pythonListOf(item: PythonWriter): PythonWriter {
  return (value) => (Array.isArray(value) ? `[${value.map(item).join(', ')}]` : pythonLiteral(value))
}

/** A JSON object as a Python dict with special values; any other value as itself. */
export function pythonDictOf(item: PythonWriter): PythonWriter {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return pythonLiteral(value)
    const entries = Object.entries(value).map(([name, entry]) => `${pythonText(name)}: ${item(entry)}`)
    return `{${entries.join(', ')}}`
  }
}

/** Python expressions as a tuple. */
export function pythonTuple(items: readonly string[]): string {
  return items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`
}

function numberLiteral(text: string): string {
  if (text.length <= MAX_DIGITS || !/^-?\d+$/.test(text)) return text
  const [sign, digits] = text.startsWith('-') ? ['-', text.slice(1)] : ['', text]
  return `${sign}0x${BigInt(digits).toString(16)}`
}

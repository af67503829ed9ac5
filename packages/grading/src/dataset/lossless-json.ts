/** A number of a JSON text whose notation says more than its value: `1.0`, or an integer above 2**53. */
interface RawNumber {
  readonly rawJSON: string
}

/** Not in TypeScript's library yet. */
const NATIVE = JSON as unknown as {
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
  parse(
    text: string,
    reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown
}

/** Fields whose numbers become values of a Python program, where `1` and `1.0` differ. */
const ARGUMENTS = /"(?:base_input|fn_name)"/

/** Numbers that Python writes and JSON does not have, and texts, in which they are words. */
const NO_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g

/**
 * Parses one record of a data set. `NaN` and `Infinity`, which Python writes, become null. In records with arguments of
 * functions they are refused, and a number keeps its notation if its value would not give it back; `JSON.stringify` writes it
 * unchanged.
 *
 * @throws {SyntaxError}
 */
export function parseRecord(text: string): unknown {
  if (ARGUMENTS.test(text)) return parseLossless(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!/Infinity|NaN/.test(text)) throw error
    return JSON.parse(text.replace(NO_NUMBERS, (found) => (found.startsWith('"') ? found : 'null')))
  }
}

/** Parses JSON; a number whose value would not give back its notation becomes raw JSON. */
export function parseLossless(text: string): unknown {
  return NATIVE.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? NATIVE.rawJSON(source)
      : value,
  )
}

/** The notation of a number of {@link parseLossless}; undefined for other values. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return NATIVE.isRawJSON(value) ? value.rawJSON : undefined
}

/** What an expression may be, as far as the tree tells: a text, or a global or member by its path (`os.system`). */
export type Value = { readonly text: string } | { readonly path: string }

/** Values that one expression may have; a name can be bound in several places. */
export type Values = readonly Value[]

/** Nothing is known. */
export const UNKNOWN: Values = []

/** Values kept per expression: names that are bound in more places are not followed further. */
const MOST_VALUES = 8
/** Longer than any name that a rule asks for, and than most scripts in an argument. */
const LONGEST_TEXT = 4096

/** A known text; one that is too long to be a name is nothing. */
export function text(value: string): Values {
  return value.length > LONGEST_TEXT ? UNKNOWN : [{ text: value }]
}

/** A known path. */
export function path(value: string): Values {
  return value.length > LONGEST_TEXT ? UNKNOWN : [{ path: value }]
}

/** The texts among values. */
export function textsOf(values: Values): string[] {
  return values.flatMap((value) => ('text' in value ? [value.text] : []))
}

/** The paths among values. */
export function pathsOf(values: Values): string[] {
  return values.flatMap((value) => ('path' in value ? [value.path] : []))
}

/** Values of several sources together, few and each once. */
export function union(lists: readonly Values[]): Values {
  if (lists.length === 1 && lists[0] !== undefined) return lists[0]
  const found = new Map<string, Value>()
  for (const value of lists.flat()) {
    found.set('text' in value ? `t${value.text}` : `p${value.path}`, value)
    if (found.size === MOST_VALUES) break
  }
  return [...found.values()]
}

/** Every way of writing one text of each list after the other; unknown if one of them is. */
export function joined(parts: readonly Values[], separator = ''): Values {
  let texts: string[] | undefined
  for (const part of parts) {
    const next = textsOf(part)
    texts = texts === undefined ? next : combine(texts, next, separator)
    if (texts.length === 0) return UNKNOWN
  }
  return union((texts ?? ['']).map(text))
}

function combine(heads: readonly string[], tails: readonly string[], separator: string): string[] {
  return heads
    .flatMap((head) => tails.map((tail) => head + separator + tail))
    .filter((whole) => whole.length <= LONGEST_TEXT)
    .slice(0, MOST_VALUES)
}

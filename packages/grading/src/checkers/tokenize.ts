/** Yields the words between white space (space, tab, line feed, carriage return, vertical tab, form feed). */
export function* tokensOf(text: string): Generator<string> {
  const word = /[^ \t\n\r\v\f]+/y
  const space = /[ \t\n\r\v\f]*/y
  for (let at = 0; ; ) {
    space.lastIndex = at
    space.test(text)
    word.lastIndex = space.lastIndex
    const [found] = word.exec(text) ?? []
    if (found === undefined) return
    yield found
    at = word.lastIndex
  }
}

/** Yields the lines without trailing white space, and without empty lines at the end of the text. */
export function* linesOf(text: string): Generator<string> {
  // Empty lines are held back until another line follows.
  let empty = 0
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf('\n', at)
    const end = feed < 0 ? text.length : feed
    const line = trimmedEnd(text, at, end)
    at = end + 1
    if (line === '') {
      empty++
      continue
    }
    for (; empty > 0; empty--) yield ''
    yield line
  }
}

/** Yields the lines that are not empty, without trailing white space. */
export function* fullLinesOf(text: string): Generator<string> {
  for (const line of linesOf(text)) if (line !== '') yield line
}

function trimmedEnd(text: string, start: number, end: number): string {
  let last = end
  while (last > start && ' \t\r\v\f'.includes(text[last - 1] ?? '')) last--
  return text.slice(start, last)
}

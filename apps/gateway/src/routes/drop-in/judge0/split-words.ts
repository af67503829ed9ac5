/** Judge0 drops these characters before its shell reads the words, so that no command can be added. */
const DROPPED = /[$&;<>|`]/g
const BLANK = /\s/

/**
 * Splits `command_line_arguments` or `compiler_options` into words by the quoting rules of a shell, without expansion. No
 * shell runs.
 *
 * @returns undefined if a quote is not closed
 *
 * @example
 * ```ts
 * splitWords(`-a "b c" d\\ e`) // ['-a', 'b c', 'd e']
 * ```
 */
export function splitWords(text: string): string[] | undefined {
  const given = text.replace(DROPPED, '')
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < given.length; at++) {
    const character = given.charAt(at)
    const next = given.charAt(at + 1)
    if (quote === undefined && BLANK.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character
      word ??= ''
    } else if (character === quote) {
      quote = undefined
    } else if (character === '\\' && isEscape(quote, next)) {
      word = (word ?? '') + next
      at++
    } else word = (word ?? '') + character
  }
  if (quote !== undefined) return undefined
  return word === undefined ? words : [...words, word]
}

/** In double quotes a backslash escapes only `"` and `\`; in single quotes it escapes nothing. */
function isEscape(quote: string | undefined, next: string): boolean {
  if (quote === undefined) return next !== ''
  return quote === '"' && (next === '"' || next === '\\')
}

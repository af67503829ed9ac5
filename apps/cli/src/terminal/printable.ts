/** Control characters less tab and newline, and characters that reorder or hide text on a screen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/**
 * Output of a program as it may be shown on a terminal: control characters are written out (`\x1b`), so that no program
 * can move the cursor, rename the window or write to the clipboard of whoever looks at it. Tab and newline stay.
 */
export function printable(text: string): string {
  return text.replace(HARMFUL, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** The first line of a text that has something on it, printable and at most `width` characters long. */
export function firstLine(text: string, width: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const line = printable(lines[0] ?? '').replaceAll('\t', ' ')
  const more = lines.length > 1
  if (line.length <= width && !more) return line
  return `${line.slice(0, Math.max(0, width - 1))}…`
}

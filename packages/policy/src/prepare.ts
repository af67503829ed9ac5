import type { SourceKind } from './sources.ts'

/** Encodings under which plain text is what it looks like. */
const PLAIN = /^(utf-?8(-sig)?|(us-)?ascii|latin-?1|iso-?8859-1(5)?|cp1252)$/

/**
 * Texts to parse in place of a source, so that the grammar splits it as the interpreter does. Lines stay, but for the
 * second text of a shell script.
 */
export function prepared(source: string, { language }: SourceKind): readonly string[] {
  switch (language) {
    case 'python':
      // Python ends lines, and comments with them, at a lone carriage return.
      return [source.replaceAll('\0', ' ').replaceAll(/\r\n?/g, '\n')]
    case 'javascript':
      return [source.replaceAll('\0', ' ')]
    case 'bash': {
      // The shell drops NUL, and joins a word that goes on in the next line; joined, comments would swallow a line.
      const text = source.replaceAll('\0', '')
      return /\S\\\n\S/.test(text) ? [text, text.replaceAll('\\\n', '')] : [text]
    }
    default:
      return language satisfies never
  }
}

/** The encoding that a Python source declares, if it may make another text of it (`utf-7`, `unicode_escape`). */
export function strangeEncoding(source: string): string | undefined {
  const lines = source.split(/\r\n?|\n/, 2)
  for (const [index, line] of lines.entries()) {
    const [, name] = /^[ \t\f\uFEFF]*#.*?coding[:=][ \t]*([-\w.]+)/.exec(line) ?? []
    if (name !== undefined) return PLAIN.test(name.toLowerCase().replaceAll('_', '-')) ? undefined : name
    if (index === 0 && !/^[ \t\f\uFEFF]*(#.*)?$/.test(line)) return undefined
  }
  return undefined
}

import { visible } from '@isopod/protocol'

/** The first non-empty line of a text, escaped and cut to `width` characters; `…` marks omitted text. */
export function firstLine(text: string, width: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const line = visible(lines[0] ?? '').replaceAll('\t', ' ')
  const more = lines.length > 1
  if (line.length <= width && !more) return line
  return `${line.slice(0, Math.max(0, width - 1))}…`
}

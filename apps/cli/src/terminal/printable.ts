import { visible } from '@isopod/protocol'

/** The first line of a text that is not empty, escaped and at most `width` characters long. */
export function firstLine(text: string, width: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const line = visible(lines[0] ?? '').replaceAll('\t', ' ')
  const more = lines.length > 1
  if (line.length <= width && !more) return line
  return `${line.slice(0, Math.max(0, width - 1))}…`
}

/**
 * The content of the first fenced Markdown block of a text, or the text itself if there is none. Keeps indentation, which a
 * completion may need.
 */
export function stripFences(text: string): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => fenceOf(line) !== undefined)
  const fence = fenceOf(lines[start] ?? '')
  if (fence === undefined) return text
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => closes(line, fence))
  return end === -1
    ? rest.join('\n')
    : rest
        .slice(0, end)
        .map((line) => `${line}\n`)
        .join('')
}

/** The fence of a line that opens a block: at least three backticks with none after them, or at least three tildes. */
function fenceOf(line: string): string | undefined {
  return /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line.trimEnd())?.slice(1).find(Boolean)
}

function closes(line: string, fence: string): boolean {
  const mark = line.trim()
  return (
    mark.length >= fence.length && mark === (fence[0] ?? '').repeat(mark.length) && /^ {0,3}\S/.test(line)
  )
}

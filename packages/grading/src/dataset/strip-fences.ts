/**
 * The content of the first fenced Markdown block of a text, or the text itself if there is none. Keeps indentation, which a
 * completion may need. A fence within a string of three quotes or a block comment belongs to the code.
 */
export function stripFences(text: string): string {
  const lines = text.split('\n')
  const start = firstFence(lines)
  const fence = fenceOf(lines[start] ?? '')
  if (fence === undefined) return text
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => closes(line, fence))
  if (end === -1) {
    const before = lines.slice(0, start)
    return isEndOfBlock(before, rest, lines[start] ?? '') ? withEnds(before) : rest.join('\n')
  }
  return withEnds(rest.slice(0, end))
}

/** Index of the first line that opens a block; -1 if there is none. */
function firstFence(lines: readonly string[]): number {
  let open: string | undefined
  return lines.findIndex((line) => {
    if (open === undefined && fenceOf(line) !== undefined) return true
    for (const [mark] of line.matchAll(/"""|'''|\/\*|\*\//g)) {
      if (open === undefined) open = mark === '*/' ? undefined : mark === '/*' ? '*/' : mark
      else if (mark === open) open = undefined
    }
    return false
  })
}

/** Whether a single fence ends a block that the prompt opened: the model continued it, so the code comes first. */
function isEndOfBlock(before: readonly string[], after: readonly string[], fence: string): boolean {
  const first = before.find(hasText)
  if (first === undefined || /[^`~\s]/.test(fence)) return false
  return /^\s/.test(first) || !after.some(hasText)
}

function hasText(line: string): boolean {
  return line.trim() !== ''
}

function withEnds(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
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

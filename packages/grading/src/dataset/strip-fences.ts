/** What models write behind the fences of a language, besides its name. */
const TAGS: Readonly<Record<string, readonly string[]>> = {
  python: ['py'],
  javascript: ['js', 'jsx', 'mjs', 'cjs', 'node'],
  typescript: ['ts', 'tsx'],
  bash: ['sh', 'shell', 'zsh'],
  c: ['h'],
  cpp: ['c++', 'cxx', 'cc'],
  csharp: ['cs', 'c#'],
  go: ['golang'],
  rust: ['rs'],
  ruby: ['rb'],
  perl: ['pl'],
  haskell: ['hs'],
  ocaml: ['ml'],
  kotlin: ['kt'],
  julia: ['jl'],
  racket: ['rkt'],
  elixir: ['ex', 'exs'],
  erlang: ['erl'],
  clojure: ['clj'],
}

/** A fenced block of Markdown. */
interface Block {
  /** First word behind the fence, in lower case; empty if there is none. */
  readonly tag: string
  readonly code: string
}

/** A line that opens a block. */
interface Fence {
  readonly mark: string
  readonly indent: number
  readonly tag: string
}

/**
 * The solution in the Markdown of a model: the content of its first fenced block that is not marked as one of another language, or
 * the text itself if it has no block. Leaves out what a model thought before its answer, up to `</think>`. Keeps the indentation of the
 * code, which a completion may need. A fence within a string of three quotes or a block comment belongs to the code.
 *
 * @param language of the solution; if it is undefined, the first block counts
 */
export function stripFences(text: string, language?: string): string {
  const answer = withoutThoughts(text)
  const lines = answer.split('\n')
  const first = nextFence(lines, 0)
  const opening = fenceOf(lines[first] ?? '')
  if (opening === undefined) return answer
  if (isEndOfBlock(lines, first, opening)) return withEnds(lines.slice(0, first))
  const blocks = blocksFrom(lines, first)
  return (blocks.find(({ tag }) => isTagOf(tag, language)) ?? blocks[0])?.code ?? answer
}

/** The blocks of a text whose first fence is at this line. The last one may have no end. */
function blocksFrom(lines: readonly string[], first: number): Block[] {
  const blocks: Block[] = []
  for (let start = first; start !== -1; ) {
    const fence = fenceOf(lines[start] ?? '')
    if (fence === undefined) break
    const end = endOf(lines, start, fence)
    const inside = lines
      .slice(start + 1, end === -1 ? undefined : end)
      .map((line) => outdented(line, fence.indent))
    blocks.push({ tag: fence.tag, code: end === -1 ? inside.join('\n') : withEnds(inside) })
    start = end === -1 ? -1 : nextFence(lines, end + 1)
  }
  return blocks
}

/** Index of the next line that opens a block; -1 if there is none. */
function nextFence(lines: readonly string[], from: number): number {
  let open: string | undefined
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (open === undefined && fenceOf(line) !== undefined) return at
    for (const [mark] of line.matchAll(/"""|'''|\/\*|\*\//g)) {
      if (open === undefined) open = mark === '*/' ? undefined : mark === '/*' ? '*/' : mark
      else if (mark === open) open = undefined
    }
  }
  return -1
}

/** Index of the line that ends the block of a fence; -1 if there is none. */
function endOf(lines: readonly string[], start: number, { mark }: Fence): number {
  for (let at = start + 1; at < lines.length; at++) if (closes(lines[at] ?? '', mark)) return at
  return -1
}

/** Whether a block of this tag can be in a language. */
function isTagOf(tag: string, language: string | undefined): boolean {
  if (tag === '' || language === undefined) return true
  const name = language.toLowerCase()
  const base = tag.replace(/[\d.]+$/, '')
  return tag === name || base === name || TAGS[name]?.includes(base) === true
}

/** Whether a single fence ends a block that the prompt opened: the model continued it, so the code comes first. */
function isEndOfBlock(lines: readonly string[], at: number, fence: Fence): boolean {
  if (fence.tag !== '' || endOf(lines, at, fence) !== -1) return false
  const first = lines.slice(0, at).find(hasText)
  if (first === undefined) return false
  return /^\s/.test(first) || !lines.slice(at + 1).some(hasText)
}

/** The text behind the end of the thoughts, if it has them. */
function withoutThoughts(text: string): string {
  const end =
    /(?:^|\n)[ \t]*<\/think>/.exec(text) ?? (/^\s*<think>/.test(text) ? /<\/think>/.exec(text) : null)
  return end === null ? text : text.slice(end.index + end[0].length)
}

function hasText(line: string): boolean {
  return line.trim() !== ''
}

function withEnds(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

/** A line without as much of its indentation as the fence has. */
function outdented(line: string, indent: number): string {
  const own = line.length - line.trimStart().length
  return line.slice(Math.min(own, indent))
}

/** The fence of a line that opens a block: at least three backticks with none after them, or at least three tildes. */
function fenceOf(line: string): Fence | undefined {
  const [, indent = '', ticks, afterTicks, tildes, afterTildes] =
    /^( {0,3})(?:(`{3,})([^`]*)|(~{3,})(.*))$/.exec(line.trimEnd()) ?? []
  const mark = ticks ?? tildes
  if (mark === undefined) return undefined
  const tag = /[\w+#.-]+/.exec(afterTicks ?? afterTildes ?? '')?.[0] ?? ''
  return { mark, indent: indent.length, tag: tag.replace(/^\./, '').toLowerCase() }
}

function closes(line: string, fence: string): boolean {
  const mark = line.trim()
  return (
    mark.length >= fence.length && mark === (fence[0] ?? '').repeat(mark.length) && /^ {0,3}\S/.test(line)
  )
}

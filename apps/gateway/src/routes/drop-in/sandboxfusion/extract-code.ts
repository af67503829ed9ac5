/** Where the code was found in a completion, in SandboxFusion's terms. */
export type ExtractedType = 'fenced' | 'incomplete_fenced' | 'heuristic' | 'empty'

/** The code of a completion. */
export interface ExtractedCode {
  readonly code: string
  readonly type: ExtractedType
}

/** Selects the fenced blocks with the code. */
export interface BlockChoice {
  /** Index of one block, from 0; negative counts from the end. */
  readonly index?: number | undefined
  /** Only the first block of the language, or all of them. @default 'first' */
  readonly mode?: 'first' | 'all' | undefined
}

interface Block {
  readonly tag: string
  readonly code: string
  readonly isClosed: boolean
}

/** SandboxFusion's language name → other fence tags that models write. */
const TAGS: Readonly<Record<string, readonly string[]>> = {
  python: ['py', 'python3'],
  cpp: ['c++'],
  nodejs: ['javascript', 'js'],
  typescript: ['ts'],
  csharp: ['c#', 'cs'],
  bash: ['sh', 'shell'],
  rust: ['rs'],
  D_ut: ['d'],
  ruby: ['rb'],
  perl: ['pl'],
}

/**
 * Extracts the code of a completion: the first closed fenced block of the language, else the first closed block, else the
 * text after an unclosed fence. Without fences it is the whole completion.
 */
export function extractCode(completion: string, language: string, choice: BlockChoice = {}): ExtractedCode {
  const blocks = fencedBlocks(completion)
  const whole = blocks.filter(({ isClosed }) => isClosed)
  const chosen = whole.length > 0 ? whole : blocks
  const type = whole.length > 0 ? 'fenced' : 'incomplete_fenced'
  const tags = Object.hasOwn(TAGS, language) ? (TAGS[language] ?? []) : []
  const names = [language, ...tags].map((name) => name.toLowerCase())
  const ofLanguage = chosen.filter(({ tag }) => names.includes(tag.toLowerCase()))
  if (choice.index !== undefined) return extracted(chosen.at(choice.index)?.code ?? '', type)
  if (chosen.length === 0) return extracted(completion, 'heuristic')
  const found = ofLanguage.length > 0 ? ofLanguage : chosen
  return extracted((choice.mode === 'all' ? found : found.slice(0, 1)).map(({ code }) => code).join(''), type)
}

function extracted(code: string, type: ExtractedType): ExtractedCode {
  return code.trim() === '' ? { code: '', type: 'empty' } : { code, type }
}

/** Blocks between lines that begin with three backticks; the last one may be unclosed. */
function fencedBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let tag: string | undefined
  let lines: string[] = []
  for (const line of text.split('\n')) {
    const fence = /^\s{0,3}```([^`]*)$/.exec(line.trimEnd())
    if (fence === null) lines.push(line)
    else if (tag === undefined) {
      tag = (fence[1] ?? '').trim()
      lines = []
    } else {
      blocks.push({ tag, code: ended(lines), isClosed: true })
      tag = undefined
    }
  }
  if (tag !== undefined) blocks.push({ tag, code: ended(lines), isClosed: false })
  return blocks
}

function ended(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

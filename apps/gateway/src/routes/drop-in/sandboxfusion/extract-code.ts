/** Where code stood in a completion, as SandboxFusion tells it. */
export type ExtractedType = 'fenced' | 'incomplete_fenced' | 'heuristic' | 'empty'

/** What of a completion is code. */
export interface ExtractedCode {
  readonly code: string
  readonly type: ExtractedType
}

/** Which of the fenced blocks are the code. */
export interface BlockChoice {
  /** One of them, from 0; from the end if negative. */
  readonly index?: number | undefined
  /** The first of the language alone, or all of them. @default 'first' */
  readonly mode?: 'first' | 'all' | undefined
}

interface Block {
  readonly tag: string
  readonly code: string
  readonly isClosed: boolean
}

/** What models write behind a fence, beside the names of SandboxFusion's languages. */
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
 * The code of a completion: the first block between fences that is of the language, else the first block at all; what follows a
 * fence that is never closed; without any fence all of it.
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

/** Blocks between lines that begin with three back-ticks; the last one may have no end. */
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

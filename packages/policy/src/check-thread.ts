import { boundedTask, type TaskMessage, type TaskReply } from '@isopod/threads'
import { checkSource, type SourceReport } from './check-source.ts'
import { openGrammars } from './grammars.ts'
import type { RuleSet } from './rule.ts'
import type { SourceKind } from './sources.ts'

/** One source to check. */
export interface SourceFile {
  readonly path: string
  readonly content: string
  readonly encoding: 'utf8' | 'base64'
  readonly kind: SourceKind
}

/** A request to the thread. The answer is one report per file, in order; the progress is the index of the current file. */
export interface SourceCheckRequest {
  readonly files: readonly SourceFile[]
  readonly rules: RuleSet
  /** Base names of the job's files that are not checked. */
  readonly others: readonly string[]
}

const { need, parse } = await openGrammars()

export const checkSources: (
  message: TaskMessage<SourceCheckRequest>,
) => Promise<TaskReply<readonly SourceReport[]>> = boundedTask(async ({ files, rules, others }, progress) => {
  const unchecked = new Set(others)
  await need(new Set(files.map(({ kind }) => kind.grammar)))
  return files.map(({ path, content, encoding, kind }, index) => {
    progress(index)
    const source = encoding === 'base64' ? Buffer.from(content, 'base64').toString('utf8') : content
    return checkSource(parse, { path, source, kind }, rules, unchecked)
  })
})

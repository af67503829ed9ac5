import { serve } from '@isopod/threads'
import { checkSource, type SourceReport } from './check-source.ts'
import type { RuleSet } from './rule.ts'
import { type SourceKind, sourceKind } from './sources.ts'
import { openGrammars } from './tree/parse-source.ts'

/** One source to check. */
export interface SourceFile {
  readonly path: string
  readonly content: string
  readonly encoding: 'utf8' | 'base64'
  readonly kind: SourceKind
}

/** What the thread is asked. It answers with the reports on the files, in order, and says how many it is through with. */
export interface ThreadRequest {
  readonly files: readonly SourceFile[]
  readonly rules: RuleSet
  /** Base names of the job's files that are not checked. @default none */
  readonly others?: readonly string[]
}

const { need, parse } = await openGrammars()
// Compiles what the first check would otherwise wait for, in the language that most are in.
const usual = sourceKind('a.py')
if (usual !== undefined) {
  await need([usual.grammar])
  checkSource(parse, { path: 'a.py', source: 'a = b', kind: usual }, 'strict')
}
serve(async ({ files, rules, others = [] }: ThreadRequest, progress) => {
  const unread = new Set(others)
  await need(new Set(files.map(({ kind }) => kind.grammar)))
  return files.map((file, index) => {
    progress(index)
    return checkFile(file, rules, unread)
  })
})

function checkFile(
  { path, content, encoding, kind }: SourceFile,
  rules: RuleSet,
  others: ReadonlySet<string>,
): SourceReport {
  const source = encoding === 'base64' ? Buffer.from(content, 'base64').toString('utf8') : content
  return checkSource(parse, { path, source, kind }, rules, others)
}

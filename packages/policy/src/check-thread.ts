import { parentPort } from 'node:worker_threads'
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

/** What the thread is asked. */
export interface ThreadRequest {
  readonly files: readonly SourceFile[]
  readonly rules: RuleSet
}

/** What it answers: first `ready`, then the reports on a request's files, in order. */
export type ThreadAnswer = 'ready' | readonly SourceReport[]

const port = parentPort
if (port === null) throw new Error('check-thread: runs as a worker thread only')
const { need, parse } = await openGrammars()
// Compiles what the first check would otherwise wait for, in the language that most are in.
const usual = sourceKind('a.py')
if (usual !== undefined) {
  await need([usual.grammar])
  checkSource(parse, { path: 'a.py', source: 'a = b', kind: usual }, 'strict')
}
port.on('message', async ({ files, rules }: ThreadRequest) => {
  await need(new Set(files.map(({ kind }) => kind.grammar)))
  port.postMessage(files.map((file) => checkFile(file, rules)) satisfies ThreadAnswer)
})
port.postMessage('ready' satisfies ThreadAnswer)

function checkFile({ path, content, encoding, kind }: SourceFile, rules: RuleSet): SourceReport {
  const source = encoding === 'base64' ? Buffer.from(content, 'base64').toString('utf8') : content
  return checkSource(parse, { path, source, kind }, rules)
}

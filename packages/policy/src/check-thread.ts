import { parentPort } from 'node:worker_threads'
import { checkSource, type SourceReport } from './check-source.ts'
import type { RuleSet } from './rule.ts'
import { type SourceKind, sourceKind } from './sources.ts'
import { loadGrammars } from './tree/parse-source.ts'

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
const parse = await loadGrammars()
// Compiles what the first check would otherwise wait for.
for (const path of ['a.py', 'a.js', 'a.ts', 'a.sh']) {
  const kind = sourceKind(path)
  if (kind !== undefined) checkSource(parse, { path, source: 'a = b', kind }, 'strict')
}
port.on('message', ({ files, rules }: ThreadRequest) => {
  port.postMessage(files.map((file) => checkFile(file, rules)) satisfies ThreadAnswer)
})
port.postMessage('ready' satisfies ThreadAnswer)

function checkFile({ path, content, encoding, kind }: SourceFile, rules: RuleSet): SourceReport {
  const source = encoding === 'base64' ? Buffer.from(content, 'base64').toString('utf8') : content
  return checkSource(parse, { path, source, kind }, rules)
}

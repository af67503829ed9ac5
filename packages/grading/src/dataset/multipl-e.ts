import type { DatasetProblem } from './problem.ts'
import type { Fields } from './record.ts'

/** MultiPL-E's names of languages that differ from the catalogue's. */
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['py', 'python'],
  ['notypes.py', 'python'],
  ['js', 'javascript'],
  ['ts', 'typescript'],
  ['sh', 'bash'],
  ['rb', 'ruby'],
  ['rs', 'rust'],
  ['pl', 'perl'],
  ['jl', 'julia'],
  ['hs', 'haskell'],
  ['ml', 'ocaml'],
  ['cs', 'csharp'],
  ['kt', 'kotlin'],
  ['rkt', 'racket'],
  ['go_test.go', 'go-test'],
  ['go', 'go-test'],
])

/** A problem of MultiPL-E: prompt, completion and tests form one program. Completions end at a stop token. */
export function readMultiplE(record: Fields): DatasetProblem {
  const language = record.text('language')
  return {
    id: record.name(['name', 'task_id']),
    language: LANGUAGES.get(language) ?? language,
    prompt: record.text('prompt'),
    stopTokens: record.texts('stop_tokens').filter((token) => token !== ''),
    reference: undefined,
    tests: [{ script: record.text('tests') }],
    limits: {},
  }
}

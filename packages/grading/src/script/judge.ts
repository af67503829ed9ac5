import type { Verdict } from '@isopod/protocol'
import { failureOf, type RunStatus } from '../verdict.ts'

/** How the program of code and script ended. */
export interface ScriptRun {
  readonly status: RunStatus
  readonly exitCode: number | null
  /** One sentence for a person; null on success. */
  readonly errorMessage: string | null
  readonly stderr: string
  /** What it left in its report; undefined if there is none. */
  readonly report: string | undefined
}

/** How one script was judged. */
export interface ScriptJudgement {
  readonly verdict: Verdict
  /** How it ended, where it did not pass. */
  readonly diff: string | null
  readonly suspicious?: string
}

/** What a harness can tell in its report: the word → what is told of it, and whether it may pass all the same. */
const NOTES: Readonly<Record<string, { readonly reason: string; readonly passes: boolean }>> = {
  equality: { reason: 'an answer says that it is equal to things that are not equal to each other', passes: false },
  own: { reason: 'an answer is compared by code of its own', passes: true },
  builtins: { reason: 'it changed built-in functions that its tests use', passes: false },
  replaced: { reason: 'it replaced functions of its tests', passes: false },
  added: { reason: 'it added to the prototype of all objects', passes: true },
  shadow: { reason: 'it gave the name of a built-in function that its tests use to one of its own', passes: true },
}

/** Characters of a program's last words that are told. */
const SHOWN = 300

/**
 * Judges one run: it passes if it ended with exit code 0 and left its report, and the report tells of no tampering.
 *
 * @param assertion texts of which stderr has one where an assertion did not hold; undefined: every exit code says that
 */
export function judgeScript(run: ScriptRun, assertion: readonly string[] | undefined): ScriptJudgement {
  const failure = failureOf(run.status)
  if (failure !== undefined) {
    const wrong = run.status === 'execution_error' && isWrong(run, assertion)
    return { verdict: wrong ? 'wrong_answer' : failure, diff: lastWords(run) }
  }
  if (run.report === undefined) {
    const suspicious = 'ended with exit code 0 before its tests came to their end'
    return { verdict: 'wrong_answer', diff: suspicious, suspicious }
  }
  const notes = run.report.split('\n').flatMap((word) => {
    const note = Object.hasOwn(NOTES, word) ? NOTES[word] : undefined
    return note === undefined ? [] : [note]
  })
  if (notes.length === 0) return { verdict: 'passed', diff: null }
  const suspicious = [...new Set(notes.map(({ reason }) => reason))].join('; ')
  if (notes.every(({ passes }) => passes)) return { verdict: 'passed', diff: null, suspicious }
  return { verdict: 'wrong_answer', diff: suspicious, suspicious }
}

function isWrong({ exitCode, stderr }: ScriptRun, assertion: readonly string[] | undefined): boolean {
  if (assertion === undefined) return exitCode !== null
  return assertion.some((text) => stderr.includes(text))
}

function lastWords({ errorMessage, stderr }: ScriptRun): string {
  const words = stderr.trimEnd()
  const shown = words.length > SHOWN ? `…${words.slice(-SHOWN)}` : words
  return [errorMessage ?? '', shown].filter((text) => text !== '').join('\n')
}

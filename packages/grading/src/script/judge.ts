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

const TOO_EARLY = 'ended with exit code 0 before its tests came to their end'

/** How a harness ends that found its tests tampered with, and what it then says last on stderr. */
const TAMPERED = 97
const TAMPERING = /\nisopod: ([a-z ]+)\n$/

/** What a harness can notice, by its word for it: in its report, where honest code may do that too, or as its last word. */
const NOTES: Readonly<Record<string, string>> = {
  equality: 'an answer says that it is equal to things that are not equal to each other',
  own: 'an answer is compared by code of its own',
  builtins: 'it changed built-in functions that its tests use',
  replaced: 'it replaced functions of its tests',
  added: 'it added to the prototype of all objects',
  shadow: 'it gave the name of a built-in function that its tests use to something of its own',
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
    const tampering = run.exitCode === TAMPERED ? notesOf(TAMPERING.exec(run.stderr)?.[1]) : {}
    if (tampering.suspicious) return { verdict: 'wrong_answer', diff: tampering.suspicious, ...tampering }
    const wrong = run.status === 'execution_error' && isWrong(run, assertion)
    return { verdict: wrong ? 'wrong_answer' : failure, diff: lastWords(run) }
  }
  if (run.report === undefined) return { verdict: 'wrong_answer', diff: TOO_EARLY, suspicious: TOO_EARLY }
  return { verdict: 'passed', diff: null, ...notesOf(run.report) }
}

/** Words that stand for nothing are dropped: a program may write into its report once it has passed. */
function notesOf(text = ''): { suspicious?: string } {
  const words = new Set(text.split(/\s/))
  const reasons = Object.entries(NOTES).flatMap(([word, reason]) => (words.has(word) ? [reason] : []))
  return reasons.length > 0 ? { suspicious: reasons.join('; ') } : {}
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

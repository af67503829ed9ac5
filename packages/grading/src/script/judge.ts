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

/** Something that a harness noticed. */
interface Note {
  readonly reason: string
  /** Whether honest code may do that too. */
  readonly passes: boolean
}

const TOO_EARLY = 'ended with exit code 0 before its tests came to their end'

/** What a harness can tell in its report, by the word for it. */
const NOTES: Readonly<Record<string, Note>> = {
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
  const notes = notesOf(run.report)
  const suspicious = notes.length > 0 ? { suspicious: notes.map(({ reason }) => reason).join('; ') } : {}
  const tampered = notes.some(({ passes }) => !passes)
  const failure = failureOf(run.status)
  if (tampered) return { verdict: 'wrong_answer', diff: suspicious.suspicious ?? null, ...suspicious }
  if (failure !== undefined) {
    const wrong = run.status === 'execution_error' && isWrong(run, assertion)
    return { verdict: wrong ? 'wrong_answer' : failure, diff: lastWords(run), ...suspicious }
  }
  if (run.report === undefined) return { verdict: 'wrong_answer', diff: TOO_EARLY, suspicious: TOO_EARLY }
  return { verdict: 'passed', diff: null, ...suspicious }
}

/** Unknown words are nobody's: a program may have written behind its report once it had passed. */
function notesOf(report = ''): Note[] {
  const words = new Set(report.split('\n'))
  return Object.entries(NOTES).flatMap(([word, note]) => (words.has(word) ? [note] : []))
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

import type { Verdict } from '@isopod/protocol'
import { type ExecutedStatus, failureOf } from '../verdict.ts'

/** The end of a program composed of code and script. */
export interface ScriptRun {
  readonly status: ExecutedStatus
  readonly exitCode: number | null
  /** One sentence for a person; null on success. */
  readonly errorMessage: string | null
  readonly stderr: string
  /** Content of its report; undefined if there is none. */
  readonly report: string | undefined
}

/** The verdict of one script. */
export interface ScriptVerdict {
  readonly verdict: Verdict
  /** How the program ended, if it did not pass. */
  readonly diff: string | null
  readonly suspicious?: string
}

/** How a run without a report ended that exited with 0. */
export const TOO_EARLY = 'ended with exit code 0 before its tests reached their end'

/** Exit code and last line on stderr of a harness that detected tampering. */
const TAMPERED = 97
const TAMPERING = /\nisopod: ([a-z ]+)\n$/

/** Observations of a harness, by keyword: in its report if honest code can cause them too, else on stderr. */
const NOTES: Readonly<Record<string, string>> = {
  equality: 'an answer says that it is equal to things that are not equal to each other',
  own: 'an answer is compared by code of its own',
  builtins: 'it changed built-in functions that its tests use',
  replaced: 'it replaced functions of its tests',
  added: 'it added to the prototype of all objects',
  shadow: 'it gave the name of a built-in function that its tests use to something of its own',
}

/** Maximum shown length of the end of stderr, in characters. */
const MAX_SHOWN = 300

/**
 * Judges one run. It passes if it exited with 0 and wrote its report; the report can mark it as suspicious.
 *
 * @param assertion texts on stderr that identify a failed assertion; undefined: every exit code except 0 does
 */
export function judgeScript(run: ScriptRun, assertion: readonly string[] | undefined): ScriptVerdict {
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

/** Ignores unknown words, because a program can write to its report after it passed. */
function notesOf(text = ''): { suspicious?: string } {
  const words = new Set(text.split(/\s/))
  const reasons = Object.entries(NOTES).flatMap(([word, reason]) => (words.has(word) ? [reason] : []))
  return reasons.length > 0 ? { suspicious: reasons.join('; ') } : {}
}

function isWrong({ exitCode, stderr }: ScriptRun, assertion: readonly string[] | undefined): boolean {
  if (assertion === undefined) return exitCode !== null
  return assertion.some((text) => stderr.includes(text))
}

/** How a program ended, and the end of its stderr. */
export function lastWords({ errorMessage, stderr }: Pick<ScriptRun, 'errorMessage' | 'stderr'>): string {
  const words = stderr.trimEnd()
  const shown = words.length > MAX_SHOWN ? `…${words.slice(-MAX_SHOWN)}` : words
  return [errorMessage ?? '', shown].filter((text) => text !== '').join('\n')
}

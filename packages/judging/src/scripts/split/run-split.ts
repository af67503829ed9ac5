import { composeSplit, judgeSplit, readSplitReport } from '@isopod/grading'
import type { Language, Limits, SplitRules } from '@isopod/protocol'
import {
  type Execution,
  type Library,
  makeLibrary,
  type Outcome,
  openPipe,
  outputExceeded,
  type Sandbox,
  WORKSPACE,
} from '@isopod/sandbox'
import type { JobRunOptions } from '../../judging.ts'
import type { HelperProgram } from '../../judging-rules.ts'
import { sharedInRole } from '../../shared-containers.ts'
import { newSecrets, type PlannedScript } from '../plan-scripts.ts'
import type { ScriptOutcome } from '../run-in-one-process.ts'
import { type GatedPipe, gateFrames, wholeMessage } from './frame-gate.ts'

/** Added to the code's timeout, in seconds, so that code that does not answer times out before the judge. */
const GRACE_SECONDS = 5

type RunEnd = Pick<Outcome, 'status' | 'exitCode' | 'signal' | 'limit' | 'errorMessage'>

/** How code ends after its last answer. */
const ENDED_WELL: RunEnd = { status: 'success', exitCode: 0, signal: null, limit: null, errorMessage: null }

/** What a split test needs besides its test case. */
export interface SplitContext {
  readonly sandbox: Pick<Sandbox, 'run'>
  readonly rules: SplitRules
  readonly code: string
  /** Language and limits of the judge. */
  readonly judge: HelperProgram
  /** The job's options, for the container of the code. */
  readonly options: JobRunOptions
}

/** The code's outcome, with what was printed in both processes, and the judge's verdict. */
export interface SplitRun extends ScriptOutcome {
  /** The judge gave no report, that decides the verdict, and it may be different another time. */
  readonly judgeFailed: boolean
}

/**
 * Runs the code and a script in containers of their own, joined by their stdin and stdout.
 *
 * @param id name of the code's execution
 * @throws what the sandbox rejects with
 */
export async function runSplit(test: PlannedScript, id: string, context: SplitContext): Promise<SplitRun> {
  const { sandbox, options, rules } = context
  const { signal, budget } = options
  const pipe = gateFrames(openPipe())
  // In the judge's name, so that the code need not wait until the judge's interpreter has started.
  pipe.judge.write(wholeMessage(rules.first_question))
  const execution = { ...codeExecution(test, context), id, channel: pipe.code }
  const judge = { ...judgeExecution(test, context), id: `${id}.judge`, channel: pipe.judge }
  // A fault of one ends the other.
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const both = [
    sandbox.run(execution, { ...options, signal: either }),
    sandbox.run(judge, { signal: either, budget }),
  ] as const
  for (const each of both) each.catch((error) => failed.abort(error))
  const [outcome, judged] = await Promise.all(both).catch(async (error) => {
    await Promise.allSettled(both)
    throw error
  })
  return combine(outcome, judged, { source: context.code, limits: test.execution.limits, pipe })
}

/** The code's container: its main file is a server that runs the code and answers the judge. */
function codeExecution({ execution }: PlannedScript, { rules, code }: SplitContext): Execution {
  const program = splitProgram(rules.code, { code, stdin: execution.stdin ?? '' }, execution)
  return { ...execution, ...program, language: withVariables(execution.language, rules), stdin: undefined }
}

/** The language with the variables that both processes of a split test have. */
function withVariables(language: Language, { env }: SplitRules): Language {
  return { ...language, env: { ...language.env, ...env } }
}

/** The libraries of all programs that were started. */
const libraries = new WeakMap<SplitRules['code'], Library>()

function libraryOf(rules: SplitRules['code']): Library {
  const known = libraries.get(rules) ?? makeLibrary(rules.library)
  libraries.set(rules, known)
  return known
}

/** The main file of one of the programs, and its library, which an interpreter loads when it starts ahead. */
function splitProgram(
  rules: SplitRules['code'],
  texts: Readonly<Record<string, string>>,
  { language, files = {} }: Pick<Execution, 'language' | 'files'>,
): Pick<Execution, 'code' | 'library' | 'codeWithLibrary' | 'preload'> {
  const library = libraryOf(rules)
  const codeWithLibrary = () => composeSplit(rules.main, library.json, texts)
  const loads = Object.values(language.preload?.files ?? {}).some((text) => text.includes('{library}'))
  // A file can have the name of a module: the interpreter then starts anew, without the library.
  const isKept = loads && Object.keys(files).length === 0
  if (!isKept) return { code: codeWithLibrary(), library, preload: true }
  return {
    code: composeSplit(rules.call ?? rules.main, '""', texts),
    library,
    codeWithLibrary,
    preload: true,
  }
}

/** The judge's container. It gets the files of the test case, but none that come with the code. */
function judgeExecution(
  { script, execution, files }: PlannedScript,
  { rules, judge: { language, limits } }: SplitContext,
): Execution {
  const { report } = newSecrets()
  const texts = { script, report: `${WORKSPACE}/${report}`, stdin: execution.stdin ?? '' }
  const timeoutSeconds = execution.limits.timeoutSeconds + GRACE_SECONDS
  const { id, attempt, runtime } = execution
  return {
    id,
    attempt,
    runtime,
    language: withVariables(language, rules),
    limits: { ...limits, timeoutSeconds },
    ...splitProgram(rules.judge, texts, { language, files }),
    files,
    report,
    // The containers of a batch's judges never have its code in them.
    sharedBy: sharedInRole(execution, 'judge'),
  }
}

/** The code's outcome with what was printed in both processes, and the verdict. */
function combine(
  code: Outcome,
  judged: Outcome,
  { source, limits, pipe }: { readonly source: string; readonly limits: Limits; readonly pipe: GatedPipe },
): SplitRun {
  const { outputBytes, onOverflow } = limits
  const { wasFirst } = pipe.code
  const report = judged.report && readSplitReport(judged.report)
  const stdout = collected(Buffer.from(report?.stdout ?? ''), outputBytes, report?.printed)
  const stderr = collected(Buffer.concat([code.stderr.bytes, judged.stderr.bytes]), outputBytes)
  const hasFailed = report?.end === 'error' || report?.end === 'assertion'
  // After a failure, the judge asks at most what has changed.
  const isUnawaited =
    pipe.hasKilledCode || report?.askedAhead === true || (hasFailed && code.status === 'timeout')
  const ended = { ...code, ...endOfCode(code, judged, isUnawaited) }
  const shown = { ...ended, stdout, stderr }
  if (stdout.truncated && onOverflow === 'kill' && ended.status === 'success') {
    const exceeded = outputExceeded({ outputBytes })
    const verdict = { verdict: 'output_exceeded', diff: exceeded.errorMessage } as const
    return { outcome: { ...shown, ...exceeded }, verdict, judgeFailed: false }
  }
  const raised = hasFailed && ended.status === 'success'
  // As one program ends that nothing rescues from what its script raises.
  const failure = { status: 'execution_error', exitCode: 1, errorMessage: report?.message ?? null } as const
  const verdict = judgeSplit(
    { ...shown, stderr: stderr.bytes.toString() },
    report ?? endWithoutReport(judged, wasFirst),
    source,
  )
  const judgeFailed = report === undefined && ended.status === 'success' && !wasFirst && !hasCrashed(judged)
  return { outcome: raised ? { ...shown, ...failure } : shown, verdict, judgeFailed }
}

/** How the code ended. Calls that the script never came to say nothing about it. */
function endOfCode(code: Outcome, judged: Outcome, isUnawaited: boolean): RunEnd {
  const own = isUnawaited ? ENDED_WELL : code
  // The end of the job’s time ends both processes, the judge sometimes first.
  const { status, exitCode, signal, limit, errorMessage } =
    judged.limit === 'job' && own.status === 'success' ? judged : own
  return { status, exitCode, signal, limit, errorMessage }
}

/** Whether a judge ended as code can have it end on purpose, to get a second run. */
function hasCrashed({ limit, signal }: Outcome): boolean {
  return limit === 'memory' || (limit === null && signal !== null)
}

/** How a judge ended that gave no report. Code ends before its judge only if it ends itself. */
function endWithoutReport({ limit, signal, errorMessage }: Outcome, codeWasFirst: boolean) {
  const end = codeWasFirst ? 'lost' : limit === null && signal === null ? 'failed' : 'exhausted'
  return { end, message: errorMessage ?? 'it gave no report' } as const
}

function collected(bytes: Buffer, limit: number, produced = bytes.byteLength) {
  return { bytes: bytes.subarray(0, limit), produced, truncated: produced > limit }
}

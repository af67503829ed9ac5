import { setFlagsFromString } from 'node:v8'
import { type JobFile, type Policy, RetryableError } from '@isopod/protocol'
import { type TaskFailure, type TaskOutcome, ThreadPool } from '@isopod/threads'
import type { SourceReport } from './check-source.ts'
import type { SourceCheckRequest, SourceFile } from './check-thread.ts'
import { decide, type PolicyDecision } from './decide.ts'
import { baseName, isCompiled, programKind, sourceKind } from './sources.ts'

/** A program to check, and the files that it may load. */
export interface CheckedProgram {
  /** Name of the language in the catalogue. */
  readonly language: string
  /** Name of the program's file: `main.py`. */
  readonly filename: string
  readonly code: string
  /** Files of the job, by path; source files are checked like the program. */
  readonly files?: Readonly<Record<string, JobFile>> | undefined
}

/** Overrides of the default bounds. */
export interface PolicyCheckerOptions {
  /** Maximum number of waiting checks. @default 1024 */
  readonly waiting?: number
  /** Maximum wait for a thread, in milliseconds. @default 120000 */
  readonly waitMs?: number
  /** Maximum CPU time of a check per started 256 Ki characters, in milliseconds. @default 2000 */
  readonly cpuMs?: number
  /** Maximum heap of a thread in MiB, without the parser's own memory. @default 512 */
  readonly heapMb?: number
  /** Maximum characters of one job's sources; the rest is not checked. @default 2 Mi */
  readonly maxCharacters?: number
}

/** Checks sources off the event loop. */
export interface PolicyChecker {
  /**
   * Checks a program under a policy. Never rejects because of the source: if a source exceeds a bound, ends its thread or
   * does not parse, `checked` is false, which is a problem with `enforce` and otherwise a warning.
   *
   * @param policy the policy that applies, including the deployment's minimum
   * @throws {RetryableError} with `enforce`, if the host has no memory or time for the check
   * @throws the signal's reason when it aborts
   */
  check(program: CheckedProgram, policy: Policy, signal?: AbortSignal): Promise<PolicyDecision>
  /** Ends the threads. */
  close(): Promise<void>
}

const DEFAULTS = {
  waiting: 1024,
  waitMs: 120_000,
  cpuMs: 2_000,
  heapMb: 512,
  maxCharacters: 2 * 1024 * 1024,
}
/** Timeout for loading the first grammar, in milliseconds. */
const START_MS = 20_000
/** Maximum characters of a job that is checked in the thread for small sources. */
const SMALL = 64 * 1024
/** Number of characters for which `cpuMs` is allowed. */
const PORTION = 256 * 1024
/** Wall clock of a check per millisecond of CPU time. */
const WALL_FACTOR = 10

/**
 * Starts a thread and loads the grammars, so that the first job does not wait for it.
 *
 * @throws if the grammars cannot be loaded: a fault of the installation
 * @example
 * ```ts
 * const checker = await openPolicyChecker()
 * const decision = await checker.check(
 *   { language: 'python', filename: 'main.py', code: 'import os' },
 *   { mode: 'enforce', rules: 'strict' },
 * )
 * console.log(decision.problems) // ['Blocked import: os']
 * await checker.close()
 * ```
 */
export async function openPolicyChecker(options: PolicyCheckerOptions = {}): Promise<PolicyChecker> {
  const { waiting, waitMs, cpuMs, heapMb, maxCharacters } = { ...DEFAULTS, ...options }
  // V8 would compile the grammars a second time for speed, which needs 500 MB for a second and makes no check faster.
  setFlagsFromString('--no-wasm-dynamic-tiering')
  setFlagsFromString('--no-wasm-tier-up')
  const here = import.meta.url
  // The neighbouring module: TypeScript in specs, JavaScript in the build.
  const entry = new URL(`./check-thread${here.endsWith('.ts') ? '.ts' : '.js'}`, here)
  // A larger young generation made the process up to 30 MB larger and no check faster.
  const threads = { entry, task: 'checkSources', size: 1, heapMb, youngMb: 2, maxWaiting: waiting }
  const small = new ThreadPool<SourceCheckRequest, readonly SourceReport[]>({ ...threads, keepsIdle: true })
  // The parser never returns memory, so the thread for large sources ends when no check waits.
  const large = new ThreadPool<SourceCheckRequest, readonly SourceReport[]>({ ...threads, keepsIdle: false })
  const close = async () => void (await Promise.all([small.close(), large.close()]))

  const run = (request: SourceCheckRequest, signal?: AbortSignal) => {
    const size = request.files.reduce((sum, { content }) => sum + content.length, 0)
    const budget = cpuMs * (1 + Math.floor(size / PORTION))
    // The smallest sources first, so that large ones do not delay them.
    const bounds = { cpuMs: budget, wallMs: budget * WALL_FACTOR, waitMs, priority: -size, signal }
    return (size <= SMALL ? small : large).run(request, bounds)
  }

  const [file] = sourcesOf({ language: 'python', filename: 'a.py', code: 'a = b' }, maxCharacters).files
  const first = await small.run(
    { files: file ? [file] : [], others: [], rules: 'strict' },
    { cpuMs: START_MS, wallMs: START_MS },
  )
  if (first.failure !== undefined) {
    await close()
    throw new Error('the policy check cannot start', { cause: first.cause })
  }
  return {
    check: async (program, policy, signal) => {
      if (policy.mode === 'off') return decide(policy, { findings: [], gaps: [], checked: false })
      const { files, gaps, others, hasRules } = sourcesOf(program, maxCharacters)
      const request = { files, others, rules: policy.rules }
      const outcome = files.length === 0 ? NOTHING : await run(request, signal)
      if (outcome.failure !== undefined) {
        const why = UNCHECKED[outcome.failure]
        // A fault of the host says nothing about the source, which must not run unchecked.
        if (!SOURCE_FAILURES.has(outcome.failure) && policy.mode === 'enforce')
          throw new RetryableError(`the source was not checked: ${why}`)
        gaps.push(`${files[outcome.progress]?.path} was not checked: ${why}`)
      }
      const reports = outcome.answer ?? []
      for (const [index, report] of reports.entries()) {
        gaps.push(...report.gaps.map((gap) => `${files[index]?.path} ${gap}`))
      }
      const findings = reports.flatMap((report) => report.findings)
      // A job that expects refusals must learn that its language has no rules.
      const notes =
        hasRules || policy.mode !== 'enforce'
          ? []
          : [`no rules for ${program.language}; the source was not checked`]
      const checked = hasRules && gaps.length === 0
      return decide(policy, { findings, gaps, notes, main: program.filename, checked })
    },
    close,
  }
}

/** The sources of a job within the bound, the program first, and the base names of its other files. */
function sourcesOf(program: CheckedProgram, maxCharacters: number) {
  const kind = programKind(program.filename, program.language)
  const files: SourceFile[] = []
  const gaps: string[] = []
  const others: string[] = []
  let room = maxCharacters
  const take = (file: SourceFile) => {
    if (file.content.length > room)
      return void gaps.push(
        `${file.path} was not checked: a job may have ${maxCharacters} characters of source, and this has ${file.content.length}`,
      )
    room -= file.content.length
    files.push(file)
  }
  if (kind !== undefined) take({ path: program.filename, content: program.code, encoding: 'utf8', kind })
  for (const [path, { content, encoding }] of Object.entries(program.files ?? {})) {
    const kind = sourceKind(path)
    if (kind !== undefined) take({ path, content, encoding, kind })
    else if (isCompiled(path)) gaps.push(`${path} was not checked: compiled code`)
    else others.push(baseName(path))
  }
  return { files, gaps, others, hasRules: kind !== undefined }
}

/** The outcome for a job whose language has no rules. */
const NOTHING: TaskOutcome<readonly SourceReport[]> = { answer: [], cpuMs: 0 }

/** Failures caused by the source; the host causes the others. */
const SOURCE_FAILURES: ReadonlySet<TaskFailure> = new Set(['cpu', 'memory', 'died'])

const UNCHECKED: Readonly<Record<TaskFailure, string>> = {
  cpu: 'it took too long',
  memory: 'the check of it took too much memory',
  died: 'the check failed on it',
  starved: 'the host had no time for it',
  unstarted: 'no thread could be started for it',
  busy: 'too many checks are waiting',
  late: 'it waited too long for its turn',
  closed: 'the worker is stopping',
}

import type { JobFile, Policy } from '@isopod/protocol'
import { startThread, type ThreadOutcome } from './ask-thread.ts'
import { CheckLane, type LaneOptions, sizeOf } from './check-lane.ts'
import type { SourceFile } from './check-thread.ts'
import { decide, type PolicyDecision } from './decide.ts'
import { isCompiled, programKind, sourceKind } from './sources.ts'

/** What is checked: a program and the files that it may load. */
export interface CheckedProgram {
  /** Name of the language in the catalogue. */
  readonly language: string
  /** Where the program's text goes: `main.py`. */
  readonly filename: string
  readonly code: string
  /** Files of the job, by path; those that are source are checked like the program. */
  readonly files?: Readonly<Record<string, JobFile>> | undefined
}

/** How a checker differs from the usual. */
export interface PolicyCheckerOptions extends Partial<LaneOptions> {
  /** Heap of a thread in MiB, the parser's own memory aside; a check that needs more ends its thread. @default 512 */
  readonly heapMb?: number
  /** Characters of sources of one job that are checked; what is beyond is a warning. @default 2 Mi */
  readonly maxCharacters?: number
}

/** Checks sources off the event loop. */
export interface PolicyChecker {
  /**
   * Says what a policy makes of a program. Nothing that a source holds makes it reject: a check that took too long, died
   * or did not understand the source is a warning, and `checked` is false.
   *
   * @param policy what applies, the deployment's minimum included
   * @param signal when it aborts, the call rejects with its reason
   */
  check(program: CheckedProgram, policy: Policy, signal?: AbortSignal): Promise<PolicyDecision>
  /** Ends the threads. */
  close(): Promise<void>
}

const DEFAULTS = {
  waiting: 1024,
  waitMs: 120_000,
  cpuMs: 1_000,
  heapMb: 512,
  maxCharacters: 2 * 1024 * 1024,
}
/** Characters of one job that are checked by the thread that stays. */
const SMALL = 64 * 1024

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
  const { maxCharacters, heapMb, ...bounds } = { ...DEFAULTS, ...options }
  const start = () => startThread(heapMb)
  const small = new CheckLane(bounds, { start, kept: true })
  // The parser's memory never shrinks, so what needs much of it has a thread of its own for as long as it takes.
  const large = new CheckLane(bounds, { start, kept: false })
  await small.open()
  return {
    check: async (program, policy, signal) => {
      if (policy.mode === 'off') return decide(policy, { findings: [], gaps: [], checked: false })
      const { files, gaps, hasRules } = sourcesOf(program, maxCharacters)
      const request = { files, rules: policy.rules }
      const lane = sizeOf(request) <= SMALL ? small : large
      const outcome: ThreadOutcome = files.length === 0 ? { reports: [] } : await lane.run(request, signal)
      if (outcome.failure !== undefined) gaps.push(failureText(outcome.failure))
      // Who only asked to be warned knows that their language has no rules; who asked for refusal has to be told.
      if (!hasRules && policy.mode === 'enforce')
        gaps.push(`no rules for ${program.language}; the source was not checked`)
      const reports = outcome.reports ?? []
      for (const [index, report] of reports.entries()) {
        gaps.push(...report.gaps.map((gap) => `${files[index]?.path} ${gap}`))
      }
      const findings = reports.flatMap((report) => report.findings)
      return decide(policy, {
        findings,
        gaps,
        main: program.filename,
        checked: hasRules && gaps.length === 0,
      })
    },
    close: async () => {
      await Promise.all([small.close(), large.close()])
    },
  }
}

/** The sources of a job, the program first, as far as they are within the bound. */
function sourcesOf(program: CheckedProgram, maxCharacters: number) {
  const kind = programKind(program.filename, program.language)
  const files: SourceFile[] = []
  const gaps: string[] = []
  let room = maxCharacters
  const take = (file: SourceFile) => {
    if (file.content.length > room)
      return void gaps.push(`${file.path} was not checked: too much source in one job`)
    room -= file.content.length
    files.push(file)
  }
  if (kind !== undefined) take({ path: program.filename, content: program.code, encoding: 'utf8', kind })
  for (const [path, { content, encoding }] of Object.entries(program.files ?? {})) {
    const kind = sourceKind(path)
    if (kind !== undefined) take({ path, content, encoding, kind })
    else if (isCompiled(path)) gaps.push(`${path} was not checked: compiled code`)
  }
  return { files, gaps, hasRules: kind !== undefined }
}

function failureText(failure: NonNullable<ThreadOutcome['failure']>): string {
  switch (failure) {
    case 'timeout':
      return 'the source was not checked: it took too long'
    case 'died':
      return 'the source was not checked: the check failed on it'
    case 'busy':
      return 'the source was not checked: too many checks are waiting'
    case 'late':
      return 'the source was not checked: it waited too long for its turn'
    case 'closed':
      return 'the source was not checked: the worker is stopping'
    default:
      return failure satisfies never
  }
}

import { type JobFile, type Policy, RetryableError } from '@isopod/protocol'
import { CheckLane, type CheckOutcome, type LaneOptions, sizeOf } from './check-lane.ts'
import type { SourceFile } from './check-thread.ts'
import { decide, type PolicyDecision } from './decide.ts'
import { baseName, isCompiled, programKind, sourceKind } from './sources.ts'
import { startCheckThread } from './start-check-thread.ts'

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
  /** Characters of sources of one job that are checked; what is beyond is not. @default 2 Mi */
  readonly maxCharacters?: number
}

/** Checks sources off the event loop. */
export interface PolicyChecker {
  /**
   * Says what a policy makes of a program. Nothing that a source holds makes it reject: of a source that takes the check too
   * long, ends it, or is not understood, `checked` is false; with `enforce` that is a problem, else a warning.
   *
   * @param policy what applies, the deployment's minimum included
   * @param signal when it aborts, the call rejects with its reason
   * @throws {RetryableError} with `enforce`, if the host had no room or no time for the check
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
  const start = () => startCheckThread(heapMb)
  const small = new CheckLane(bounds, { start, kept: true })
  // The parser's memory never shrinks, so what needs much of it has a thread of its own for as long as it takes.
  const large = new CheckLane(bounds, { start, kept: false })
  await small.open()
  return {
    check: async (program, policy, signal) => {
      if (policy.mode === 'off') return decide(policy, { findings: [], gaps: [], checked: false })
      const { files, gaps, others, hasRules } = sourcesOf(program, maxCharacters)
      const request = { files, others, rules: policy.rules }
      const lane = sizeOf(request) <= SMALL ? small : large
      const outcome: CheckOutcome = files.length === 0 ? { reports: [] } : await lane.run(request, signal)
      if (outcome.failure !== undefined) {
        const { why, ofHost } = failureText(outcome.failure)
        // It says nothing about the source, and unchecked it must not run.
        if (ofHost && policy.mode === 'enforce')
          throw new RetryableError(`the source was not checked: ${why}`)
        gaps.push(`${files[outcome.at ?? 0]?.path} was not checked: ${why}`)
      }
      const reports = outcome.reports ?? []
      for (const [index, report] of reports.entries()) {
        gaps.push(...report.gaps.map((gap) => `${files[index]?.path} ${gap}`))
      }
      const findings = reports.flatMap((report) => report.findings)
      // Who only asked to be warned knows that their language has no rules; who asked for refusal has to be told.
      const notes =
        hasRules || policy.mode !== 'enforce'
          ? []
          : [`no rules for ${program.language}; the source was not checked`]
      const checked = hasRules && gaps.length === 0
      return decide(policy, { findings, gaps, notes, main: program.filename, checked })
    },
    close: async () => {
      await Promise.all([small.close(), large.close()])
    },
  }
}

/** The sources of a job, the program first, as far as they are within the bound, and the names of its other files. */
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
  const given = Object.entries(program.files ?? {})
  for (const [path, { content, encoding }] of given) {
    const kind = sourceKind(path)
    if (kind !== undefined) take({ path, content, encoding, kind })
    else if (isCompiled(path)) gaps.push(`${path} was not checked: compiled code`)
    else others.push(baseName(path))
  }
  if (kind?.language === 'javascript') gaps.push(...manifestGaps(given, others))
  return { files, gaps, others, hasRules: kind !== undefined }
}

/** A `package.json` can make any file the one that `require` runs for its folder. */
function manifestGaps(given: readonly (readonly [string, JobFile])[], others: readonly string[]): string[] {
  return given.flatMap(([path, { content, encoding }]) => {
    if (baseName(path) !== 'package.json') return []
    const text = unescaped(encoding === 'base64' ? Buffer.from(content, 'base64').toString('utf8') : content)
    const named = others.find((name) => !name.endsWith('.json') && text.includes(name))
    return named === undefined
      ? []
      : [`${named} was not checked: ${path} names it, and it is not source by its name`]
  })
}

/** JSON can write any character by its number. */
function unescaped(json: string): string {
  return json.replaceAll(/\\u([\dA-Fa-f]{4})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** Why there are no reports, and whether that is a matter of the host rather than of the source. */
function failureText(failure: NonNullable<CheckOutcome['failure']>): { why: string; ofHost: boolean } {
  switch (failure) {
    case 'cpu':
      return { why: 'it took too long', ofHost: false }
    case 'memory':
      return { why: 'the check of it took too much memory', ofHost: false }
    case 'died':
      return { why: 'the check failed on it', ofHost: false }
    case 'starved':
      return { why: 'the host had no time for it', ofHost: true }
    case 'unstarted':
      return { why: 'no thread could be started for it', ofHost: true }
    case 'busy':
      return { why: 'too many checks are waiting', ofHost: true }
    case 'late':
      return { why: 'it waited too long for its turn', ofHost: true }
    case 'closed':
      return { why: 'the worker is stopping', ofHost: true }
    default:
      return failure satisfies never
  }
}

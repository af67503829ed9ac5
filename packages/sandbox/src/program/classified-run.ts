import type { Execution } from '../contract/execution.ts'
import type { TimeBudget } from '../contract/time-budget.ts'
import type { Container } from '../driver/container.ts'
import { classifyRun, type RunEnd } from './classify-run.ts'
import { argvOf, environment } from './environment.ts'
import type { ProgramRun } from './program-frames.ts'
import { type ProgramReport, type RunProgramOptions, runProgram } from './run-program.ts'
import { workspaceFrames } from './workspace.ts'

/** A run's report, and how it ended. */
export interface ClassifiedRun {
  readonly report: ProgramReport
  readonly end: RunEnd
}

/** How a run is started. */
export interface ClassifiedRunOptions extends RunProgramOptions {
  /** Out-of-memory kills that the host had counted in this container before the run. @default 0 */
  readonly killsBefore?: number
  /** The job's remaining time, which bounds the run. @default only its own limit does */
  readonly budget?: TimeBudget | undefined
  /** Init resets the container after the run, for the next execution. @default false */
  readonly resets?: boolean
}

/**
 * Lays out an execution's files and runs its compiler, without network and outside the program's time limit.
 *
 * @returns undefined for a language without a compile run; no files are written then
 */
export async function compile(
  container: Container,
  execution: Execution,
  { signal, budget }: Pick<ClassifiedRunOptions, 'signal' | 'budget'>,
): Promise<ClassifiedRun | undefined> {
  const { language, limits } = execution
  if (language.compile === undefined) return undefined
  const program: ProgramRun = {
    ...programRun({ ...execution, args: execution.compileArgs, env: undefined }, language.compile, {
      proxy: false,
    }),
    wallMs: wallMsOf(limits.compileSeconds, budget),
    cpuMs: null,
    stdin: undefined,
  }
  const report = await observed(container, program, { before: workspaceFrames(execution), signal })
  const compileLimits = { ...limits, timeoutSeconds: limits.compileSeconds }
  const end = classifyRun(report, compileLimits, program.argv[0] ?? '', program.wallMs)
  if (end.status === 'success' || end.limit === 'job') return { report, end }
  return { report, end: compileError(end, String(end.errorMessage)) }
}

/** Errors of the start of a file that is no program, or that does not exist. */
const NO_PROGRAM = ['ENOENT', 'EACCES', 'ENOEXEC']

/**
 * The compile run of a program that cannot be started, because its compiler has made none: that of a Go package other than
 * main, which is a library.
 *
 * @returns undefined if the program was started
 */
export function withoutProgram(
  { report }: ClassifiedRun,
  ran: ClassifiedRun,
  { command }: Execution['language'],
): ClassifiedRun | undefined {
  const { spawnError = null } = ran.report.done ?? {}
  if (spawnError === null || !NO_PROGRAM.includes(spawnError)) return undefined
  const message = `the compiler reported no error, but made no program: ${command[0]} cannot be started (${spawnError}). A library, such as a Go package other than main, is no program`
  return { report, end: compileError(ran.end, message) }
}

function compileError(end: RunEnd, message: string): RunEnd {
  return { ...end, status: 'compile_error', errorMessage: `Compilation failed: ${message}` }
}

/** Runs the program itself. */
export async function runMain(
  container: Container,
  execution: Execution,
  options: ClassifiedRunOptions,
): Promise<ClassifiedRun> {
  const proxy = options.onConnection !== undefined
  const { language, limits } = execution
  const command = programRun(execution, language.command, { proxy })
  const wallMs = wallMsOf(limits.timeoutSeconds, options.budget)
  const { channel } = execution
  const isJoined = channel !== undefined
  const stdin = isJoined ? undefined : command.stdin
  const joined = { stdin, piped: isJoined, channel: isJoined, paced: channel?.isPaced ?? false }
  const { resets = false } = options
  const program = { ...command, ...joined, wallMs, preloaded: container.preloaded, resets }
  return await runClassified(container, execution, program, { ...options, pipe: channel })
}

/** Runs a program, and classifies its end. */
export async function runClassified(
  container: Container,
  { limits, language }: Pick<Execution, 'limits' | 'language'>,
  program: ProgramRun,
  options: ClassifiedRunOptions,
): Promise<ClassifiedRun> {
  const report = await observed(container, program, options)
  const [name = ''] = program.argv
  return { report, end: classifyRun(report, limits, name, program.wallMs, language.timeout_factor) }
}

/** Time limit of a run, in milliseconds: its own, or what its job has left. */
export function wallMsOf(timeoutSeconds: number, budget: TimeBudget | undefined): number {
  const own = timeoutSeconds * 1000
  return budget === undefined ? own : Math.min(own, Math.max(1, Math.floor(budget.leftMs)))
}

/** A command of an execution's language as a program to start, with the execution's arguments and environment. */
export function programRun(
  execution: Execution,
  command: readonly string[],
  network: { readonly proxy: boolean },
): ProgramRun {
  const { language, limits } = execution
  return {
    argv: argvOf(command, language, execution.args),
    env: environment(execution, network),
    wallMs: limits.timeoutSeconds * 1000,
    cpuMs: limits.cpuSeconds === null ? null : limits.cpuSeconds * 1000,
    outputBytes: limits.outputBytes,
    killOnOverflow: limits.onOverflow === 'kill',
    limits,
    stdin: execution.stdin,
  }
}

/** Runs a program and adds the host's counters: gVisor does not see that the host killed a process for memory. */
async function observed(
  container: Container,
  program: ProgramRun,
  { killsBefore = 0, ...options }: ClassifiedRunOptions,
): Promise<ProgramReport> {
  const report = await runProgram(container, program, options)
  const memory = report.done && (await container.hostMemory())
  if (report.done === undefined || memory === undefined || memory.oomKills <= killsBefore) return report
  const memoryPeakBytes = memory.peakBytes ?? report.done.memoryPeakBytes
  const oomKills = memory.oomKills - killsBefore
  return { ...report, done: { ...report.done, oomKills, memoryPeakBytes } }
}

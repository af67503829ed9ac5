import type { Container } from './container.ts'
import { argvOf, environment } from './environment.ts'
import { type Judgement, judge } from './judge.ts'
import type { ProgramRun } from './program-frames.ts'
import { type ProgramReport, type RunProgramOptions, runProgram } from './run-program.ts'
import type { Execution } from './sandbox.ts'
import type { TimeBudget } from './time-budget.ts'
import { workspaceFrames } from './workspace.ts'

/** A run and how it is to be read. */
export interface Judged {
  readonly report: ProgramReport
  readonly judgement: Judgement
}

/** How a run is started, and what its host knew before. */
export interface JudgedRunOptions extends RunProgramOptions {
  /** Kills for memory that the host had counted in this container before the run. @default 0 */
  readonly killsBefore?: number
  /** What the run may take at most, whatever its own limit. @default as much as that */
  readonly budget?: TimeBudget | undefined
}

/**
 * Lays out an execution and runs its compiler, without network; its time does not count against the program's.
 *
 * @returns undefined for a language without a compile run, and then nothing was laid out
 */
export async function compile(
  container: Container,
  execution: Execution,
  { signal, budget }: Pick<JudgedRunOptions, 'signal' | 'budget'>,
): Promise<Judged | undefined> {
  const { language, limits } = execution
  if (language.compile === undefined) return undefined
  const program: ProgramRun = {
    ...programRun({ ...execution, args: execution.compileArgs, env: undefined }, language.compile, {
      proxy: false,
    }),
    wallMs: wallMsOf(language.compile_timeout_seconds, budget),
    cpuMs: null,
    stdin: undefined,
  }
  const report = await observed(container, program, { before: workspaceFrames(execution), signal })
  const compileLimits = { ...limits, timeoutSeconds: language.compile_timeout_seconds }
  const judgement = judge(report, compileLimits, program.argv[0] ?? '', program.wallMs)
  if (judgement.status === 'success' || judgement.limit === 'job') return { report, judgement }
  const errorMessage = `Compilation failed: ${judgement.errorMessage}`
  return { report, judgement: { ...judgement, status: 'compile_error', errorMessage } }
}

/** Runs the program itself. */
export async function run(
  container: Container,
  execution: Execution,
  options: JudgedRunOptions,
): Promise<Judged> {
  const proxy = options.onConnection !== undefined
  const { language, limits } = execution
  const command = programRun(execution, language.command, { proxy })
  const wallMs = wallMsOf(limits.timeoutSeconds, options.budget)
  const program = { ...command, wallMs, preloaded: container.preloaded }
  return await judged(container, execution, program, options)
}

/** Runs a program that was made of an execution, and says how it ended. */
export async function judged(
  container: Container,
  { limits }: Pick<Execution, 'limits'>,
  program: ProgramRun,
  options: JudgedRunOptions,
): Promise<Judged> {
  const report = await observed(container, program, options)
  return { report, judgement: judge(report, limits, program.argv[0] ?? '', program.wallMs) }
}

/** How long a run may take of the time that its job has left, in milliseconds. */
export function wallMsOf(timeoutSeconds: number, budget: TimeBudget | undefined): number {
  const own = timeoutSeconds * 1000
  return budget === undefined ? own : Math.min(own, Math.max(1, Math.floor(budget.leftMs)))
}

/** A command of an execution's language, with the execution's arguments and environment, as a program to start. */
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
    openFiles: limits.openFiles,
    stdin: execution.stdin,
  }
}

/** A run with what its host saw: gVisor takes a process that the host ended for memory for one that ended by itself. */
async function observed(
  container: Container,
  program: ProgramRun,
  { killsBefore = 0, ...options }: JudgedRunOptions,
): Promise<ProgramReport> {
  const report = await runProgram(container, program, options)
  const memory = report.done && (await container.outsideMemory())
  if (report.done === undefined || memory === undefined || memory.oomKills <= killsBefore) return report
  const memoryPeakBytes = memory.peakBytes ?? report.done.memoryPeakBytes
  const oomKills = memory.oomKills - killsBefore
  return { ...report, done: { ...report.done, oomKills, memoryPeakBytes } }
}

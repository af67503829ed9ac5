import { TerminalError } from '@isopod/protocol'
import type { Container, ContainerSource } from './container.ts'
import { argvOf, environment } from './environment.ts'
import { fetchReport } from './fetch-report.ts'
import { type Judgement, judge } from './judge.ts'
import { confinementProblems, limitsApplied } from './limits-applied.ts'
import { type ProgramReport, type ProgramRun, type RunProgramOptions, runProgram } from './run-program.ts'
import type { ContainerFacts, Execution, OnConnection, Outcome } from './sandbox.ts'
import { usageOf } from './usage.ts'
import { workspaceFrames } from './workspace.ts'

/** What the conductor needs: where containers come from, and who wants to know which one it was. */
export interface Stage {
  readonly containers: ContainerSource
  readonly onContainer?: ((facts: ContainerFacts) => void) | undefined
  /** Undefined: no network. */
  readonly onConnection?: OnConnection | undefined
}

/**
 * One execution from start to end: acquire a container, check its confinement, compile if the language asks for it, run the
 * program, read the outcome, give the container back.
 *
 * @throws a platform fault, or the signal's reason once aborted; everything that the program did is data
 */
export async function runExecution(
  execution: Execution,
  stage: Stage,
  signal: AbortSignal,
): Promise<Outcome> {
  const asked = performance.now()
  // An interpreter that was started ahead knows of no proxy.
  const wanted = stage.onConnection ? { ...execution, preload: false } : execution
  const container = await stage.containers.acquire(wanted, signal)
  let inOrder = false
  try {
    const acquired = performance.now()
    stage.onContainer?.(factsOf(container))
    checkConfinement(container, execution)

    const compiled = await compile(container, execution, signal)
    if (compiled && compiled.judgement.status !== 'success') {
      inOrder = compiled.report.done !== undefined
      return outcome(container, execution, compiled, acquired - asked, compiled)
    }
    const before = compiled ? [] : workspaceFrames(execution)
    const { onConnection } = stage
    const afterUserCode = compiled !== undefined
    const ran = await run(container, execution, { before, signal, afterUserCode, onConnection })
    const name = ran.judgement.status === 'success' ? execution.report : undefined
    const report = name && (await fetchReport(container, name, signal))
    inOrder = ran.report.done !== undefined
    return { ...outcome(container, execution, ran, acquired - asked, compiled), ...(report && { report }) }
  } finally {
    if (inOrder) stage.containers.giveBack(container, wanted)
    else container.destroy()
  }
}

/** A run and how it is to be read. */
interface Judged {
  readonly report: ProgramReport
  readonly judgement: Judgement
}

/**
 * Compares a container with what was asked for.
 *
 * @throws {TerminalError} that names each difference; nothing may run in such a container
 */
export function checkConfinement({ ready, user, outside }: Container, { limits }: Execution): void {
  const problems = confinementProblems(ready, limits, user, outside)
  if (problems.length > 0) {
    throw new TerminalError(`the container is not confined as asked: ${problems.join('; ')}`)
  }
}

/** Runs the compiler, for languages that have one: without network, and its time does not count against the program's. */
async function compile(
  container: Container,
  execution: Execution,
  signal: AbortSignal,
): Promise<Judged | undefined> {
  const { language, limits } = execution
  if (language.compile === undefined) return undefined
  const program: ProgramRun = {
    ...programRun(execution, language.compile, { proxy: false }),
    wallMs: language.compile_timeout_seconds * 1000,
    cpuMs: null,
    stdin: undefined,
  }
  const report = await observed(container, program, { before: workspaceFrames(execution), signal })
  const compileLimits = { ...limits, timeoutSeconds: language.compile_timeout_seconds }
  const judgement = judge(report, compileLimits, program.argv[0] ?? '')
  if (judgement.status === 'success') return { report, judgement }
  const errorMessage = `Compilation failed: ${judgement.errorMessage}`
  return { report, judgement: { ...judgement, status: 'compile_error', errorMessage } }
}

/** A run with what its host saw: gVisor takes a process that the host ended for memory for one that ended by itself. */
async function observed(
  container: Container,
  program: ProgramRun,
  options: RunProgramOptions,
): Promise<ProgramReport> {
  const report = await runProgram(container, program, options)
  const memory = report.done && (await container.outsideMemory())
  if (report.done === undefined || memory === undefined || memory.oomKills === 0) return report
  const memoryPeakBytes = memory.peakBytes ?? report.done.memoryPeakBytes
  return { ...report, done: { ...report.done, oomKills: memory.oomKills, memoryPeakBytes } }
}

async function run(container: Container, execution: Execution, options: RunProgramOptions): Promise<Judged> {
  const proxy = options.onConnection !== undefined
  const command = programRun(execution, execution.language.command, { proxy })
  const program = { ...command, preloaded: container.preloaded }
  const report = await observed(container, program, options)
  return { report, judgement: judge(report, execution.limits, program.argv[0] ?? '') }
}

/** The main run of an execution, or its compile run, as a program to start. */
export function programRun(
  execution: Execution,
  command: readonly string[],
  network: { readonly proxy: boolean },
): ProgramRun {
  const { language, limits } = execution
  return {
    argv: argvOf(command, language),
    env: environment(execution, network),
    wallMs: limits.timeoutSeconds * 1000,
    cpuMs: limits.cpuSeconds === null ? null : limits.cpuSeconds * 1000,
    outputBytes: limits.outputBytes,
    killOnOverflow: limits.onOverflow === 'kill',
    openFiles: limits.openFiles,
    stdin: execution.stdin,
  }
}

function outcome(
  container: Container,
  execution: Execution,
  last: Judged,
  acquire: number,
  compiled: Judged | undefined,
): Outcome {
  const collecting = performance.now()
  const { report, judgement } = last
  return {
    ...judgement,
    ...usageOf(report),
    stdout: report.stdout,
    stderr: report.stderr,
    compileOutput: compiled && text(compiled.report),
    limitsApplied: limitsApplied(container.ready, execution.limits, container.outside),
    container: factsOf(container),
    timings: {
      acquire,
      run: report.elapsedMs + (compiled && compiled !== last ? compiled.report.elapsedMs : 0),
      collect: performance.now() - collecting,
    },
  }
}

function factsOf({ id, imageDigest, runtime, origin, preloaded }: Container): ContainerFacts {
  return { id, imageDigest, runtime, origin, preloaded }
}

function text({ stdout, stderr }: ProgramReport): string {
  return Buffer.concat([stdout.bytes, stderr.bytes]).toString()
}

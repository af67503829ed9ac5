import { encodeFetch } from '@isopod/init'
import { TerminalError } from '@isopod/protocol'
import type { ContainerSource } from '../acquire/container-source.ts'
import type { Execution } from '../contract/execution.ts'
import type { OnConnection, OnOutput } from '../contract/execution-options.ts'
import type { ContainerFacts, Outcome } from '../contract/outcome.ts'
import type { TimeBudget } from '../contract/time-budget.ts'
import type { Container } from '../driver/container.ts'
import { type ClassifiedRun, compile, runMain, withoutProgram } from '../program/classified-run.ts'
import { jobTimedOut, type RunEnd } from '../program/classify-run.ts'
import { usageOf } from '../program/usage.ts'
import { workspaceFrames } from '../program/workspace.ts'
import { fetchFiles, receiveFile } from './fetch-file.ts'
import { confinementProblems, limitsApplied } from './limits-applied.ts'

/** Maximum size of a report; a larger file is ignored. */
const MAX_REPORT_BYTES = 1024 * 1024

/** An execution's source of containers, and its listeners. */
export interface RunContext {
  readonly containers: ContainerSource
  readonly onContainer?: ((facts: ContainerFacts) => void) | undefined
  /** Undefined: no network. */
  readonly onConnection?: OnConnection | undefined
  readonly onOutput?: OnOutput | undefined
  /** Undefined: only the timeout of each run bounds the job. */
  readonly budget?: TimeBudget | undefined
}

/**
 * Runs one execution from start to end: acquires a container, checks its confinement, compiles if the language asks for it,
 * runs the program, reads the outcome, releases the container.
 *
 * @throws a platform fault, or the signal's reason once aborted; everything that the program did is data
 */
export async function runExecution(
  execution: Execution,
  context: RunContext,
  signal: AbortSignal,
): Promise<Outcome> {
  const asked = performance.now()
  // A preloaded interpreter has no proxy variables.
  const wanted = context.onConnection ? { ...execution, preload: false } : execution
  const container = await context.containers.acquire(wanted, signal)
  let reusable = false
  const stopClock = context.budget?.start()
  try {
    const acquired = performance.now()
    context.onContainer?.(factsOf(container))
    checkConfinement(container, execution)

    const { onConnection, onOutput, budget } = context
    const compiled = await compile(container, execution, { signal, budget })
    if (compiled && compiled.end.status !== 'success') {
      reusable = compiled.report.done !== undefined
      return outcomeOf(container, execution, compiled, acquired - asked, compiled)
    }
    if (compiled && budget?.isSpent) {
      const ended = { report: compiled.report, end: ranOut(execution) }
      return outcomeOf(container, execution, ended, acquired - asked, compiled)
    }
    await execution.channel?.meet(signal)
    const before = compiled ? [] : workspaceFrames(execution, container.preloaded)
    const afterUserCode = compiled !== undefined
    const listeners = { onConnection, onOutput }
    const { report: name } = execution
    const after = name === undefined ? [] : [encodeFetch(name, MAX_REPORT_BYTES)]
    // A shared container is reset after each execution. Files to fetch must still be there after the run.
    const resets = execution.fetchFiles === undefined && container.resetAfterRun()
    const frames = { before, after, resets }
    const ran = await runMain(container, execution, {
      ...frames,
      signal,
      afterUserCode,
      ...listeners,
      budget,
    })
    const unmade = compiled && withoutProgram(compiled, ran, execution.language)
    if (compiled && unmade) {
      reusable = true
      return outcomeOf(container, execution, unmade, acquired - asked, compiled)
    }
    const report = name && (await reportOf(container, ran, signal))
    const paths = hasEndedByItself(ran) ? execution.fetchFiles : undefined
    const files = paths && (await fetchFiles(container, paths, signal))
    reusable = ran.report.done !== undefined
    const outcome = outcomeOf(container, execution, ran, acquired - asked, compiled)
    return { ...outcome, ...(report && { report }), ...(files && { files }) }
  } finally {
    stopClock?.()
    execution.channel?.end()
    if (reusable) context.containers.release(container, wanted)
    else container.destroy()
  }
}

/**
 * Compares a container with what was asked for.
 *
 * @throws {TerminalError} that names each difference; nothing may run in such a container
 */
export function checkConfinement(
  { ready, user, hostLimits }: Container,
  { limits }: Pick<Execution, 'limits'>,
): void {
  const problems = confinementProblems(ready, limits, user, hostLimits)
  if (problems.length > 0) {
    throw new TerminalError(`the container is not confined as asked: ${problems.join('; ')}`)
  }
}

/**
 * The report of a run, which was requested with its start, so that init sends it behind the end of the run.
 *
 * @returns undefined if the run did not end with success, or left no report
 */
async function reportOf(
  container: Container,
  { report, end }: ClassifiedRun,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (report.done === undefined) return undefined
  if (end.status === 'success') return await receiveFile(container, signal)
  // A limit may also have ended the container.
  await receiveFile(container, signal).catch(() => signal.throwIfAborted())
  return undefined
}

/** Whether a run ended by itself. Only then are files fetched, because a limit may also have ended the container. */
function hasEndedByItself({ report, end }: ClassifiedRun): boolean {
  return report.done !== undefined && ['success', 'execution_error'].includes(end.status)
}

/** The end of a run that did not start because its job had no time left. */
export function ranOut({ limits }: Pick<Execution, 'limits'>): RunEnd {
  return { ...jobTimedOut(limits), exitCode: null, signal: null }
}

/** The outcome of an execution that ended as its `last` run did. */
export function outcomeOf(
  container: Container,
  execution: Execution,
  last: ClassifiedRun,
  acquire: number,
  compiled: ClassifiedRun | undefined,
): Outcome {
  const collecting = performance.now()
  const { report, end } = last
  return {
    ...end,
    ...usageOf(report),
    stdout: report.stdout,
    stderr: report.stderr,
    compileOutput: compiled && printed(compiled),
    limitsApplied: limitsApplied(container.ready, execution.limits, container.hostLimits, execution.language),
    container: factsOf(container),
    timings: {
      acquire,
      run: report.elapsedMs + (compiled && compiled !== last ? compiled.report.elapsedMs : 0),
      collect: performance.now() - collecting,
    },
  }
}

/** Where a program ran. */
export function factsOf(container: Container): ContainerFacts {
  const { id, imageDigest, runtime, isolation, origin, preloaded } = container
  return { id, imageDigest, runtime, isolation, origin, preloaded }
}

/** Everything that a run printed. */
function printed({ report: { stdout, stderr } }: ClassifiedRun): string {
  return Buffer.concat([stdout.bytes, stderr.bytes]).toString()
}

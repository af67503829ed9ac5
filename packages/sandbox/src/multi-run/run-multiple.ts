import { isGvisor, type Limits, pickLimits, RetryableError } from '@isopod/protocol'
import type { Execution } from '../contract/execution.ts'
import type { OnRun } from '../contract/execution-options.ts'
import type { ContainerFacts, Outcome } from '../contract/outcome.ts'
import { checkConfinement, factsOf, outcomeOf, type RunContext, ranOut } from '../execution/run-execution.ts'
import { type ClassifiedRun, compile, withoutProgram } from '../program/classified-run.ts'
import type { RunEnd } from '../program/classify-run.ts'
import { nothingRan } from '../program/run-program.ts'
import { type MultiRunExecution, RunSession } from './run-session.ts'
import { RunTotals } from './run-totals.ts'

/** Run listener, and whether the next run may start before it returns. */
export interface MultiRunOptions {
  readonly onRun?: OnRun | undefined
  readonly ahead?: boolean | undefined
}

/**
 * One execution with many runs: acquires a container, compiles, takes a snapshot of the workspace, then starts run after run
 * and restores the snapshot in between. A container that a run has ended, or that cannot be proven clean after it, is
 * replaced; the remaining runs use the next one.
 *
 * @throws a platform fault, or the signal's reason once aborted; everything that the program did is data
 */
export async function runMultiple(
  whole: MultiRunExecution,
  context: RunContext,
  signal: AbortSignal,
  options: MultiRunOptions,
): Promise<Outcome> {
  let stopClock: (() => void) | undefined
  const onContainer = (facts: ContainerFacts) => {
    // From the first container on: if it is replaced, the program caused that.
    stopClock ??= context.budget?.start()
    context.onContainer?.(facts)
  }
  try {
    return await runSessions(whole, { ...context, onContainer }, signal, options)
  } finally {
    stopClock?.()
  }
}

async function runSessions(
  whole: MultiRunExecution,
  context: RunContext,
  signal: AbortSignal,
  { onRun = () => true, ahead = true }: MultiRunOptions,
): Promise<Outcome> {
  const { budget } = context
  const total = new RunTotals()
  let acquire = 0
  let compileMs = 0
  let next = 0
  let failedRestores = 0
  for (;;) {
    const execution = { ...whole, limits: firstLimits(whole, next) }
    const asked = performance.now()
    const container = await context.containers.acquire(execution, signal)
    acquire += performance.now() - asked
    let reusable = false
    try {
      context.onContainer?.(factsOf(container))
      checkConfinement(container, execution)

      const compiled = await compile(container, execution, { signal, budget })
      compileMs += compiled?.report.elapsedMs ?? 0
      const finish = (last: ClassifiedRun) =>
        total.applyTo(outcomeOf(container, execution, last, acquire, compiled), compileMs)
      if (compiled && compiled.end.status !== 'success') {
        reusable = compiled.report.done !== undefined
        return finish(compiled)
      }
      const session = new RunSession(container, execution, next, {
        compiled: compiled !== undefined,
        ahead,
        isRetry: failedRestores > 0,
        signal,
        budget,
      })
      const failed = await session.snapshot()
      if (failed !== undefined) return finish({ report: compiled?.report ?? nothingRan(), end: failed })

      const began = next
      for (let alive = session.left === undefined; alive && next < execution.runs.length; ) {
        if (budget?.isSpent) {
          reusable &&= session.canEndAfter(next - 1)
          return finish({
            report: (total.decisive ?? compiled)?.report ?? nothingRan(),
            end: ranOut(whole),
          })
        }
        const ran = await session.run(next)
        if (ran === undefined) break
        const unmade = compiled && next === began && withoutProgram(compiled, ran, whole.language)
        if (unmade) return finish(unmade)
        alive = ran.report.done !== undefined
        reusable = alive && session.canEndAfter(next)
        next = (await onRun(total.add(ran), next)) ? next + 1 : execution.runs.length
      }
      if (next >= execution.runs.length && total.decisive !== undefined) return finish(total.decisive)
      reusable = false
      // A program can have the compiler run code of its own; the first time the host may have been slow.
      if (next === began && compiled && session.left !== undefined) {
        if (failedRestores++ === 0) continue
        return finish({ report: compiled.report, end: compileRunNotUndone(session.left) })
      }
      if (next === began) throw new RetryableError('a container could not be restored after its compile run')
    } catch (error) {
      reusable = false
      throw error
    } finally {
      if (reusable) context.containers.release(container, execution)
      else container.destroy()
    }
  }
}

/** The limits of a container for the runs from `next` on; where they cannot be changed, those of the first of these. */
function firstLimits({ limits, runs, runtime }: Execution, next: number): Limits {
  const first = runs?.[next]?.limits
  if (first === undefined || runtime === undefined || !isGvisor(runtime)) return limits
  return { ...limits, ...pickLimits(first, 'container') }
}

/** What the compiler left would reach the program, in this container as in every other. */
function compileRunNotUndone(left: string): RunEnd {
  const errorMessage = `What the compile run left behind cannot be undone (${left})`
  return { status: 'execution_error', exitCode: null, signal: null, limit: null, errorMessage }
}

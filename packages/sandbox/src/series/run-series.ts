import { isGvisor, type Limits, RetryableError } from '@isopod/protocol'
import type { Judgement } from '../judge.ts'
import { compile, type Judged } from '../judged-run.ts'
import { checkConfinement, factsOf, outcomeOf, ranOut, type Stage } from '../run-execution.ts'
import { nothingRan } from '../run-program.ts'
import type { ContainerFacts, Execution, OnRun, Outcome, RunInput } from '../sandbox.ts'
import { Leg } from './leg.ts'
import { SeriesTotal } from './series-total.ts'

/** Who is told of the runs, and whether one may start before he has answered. */
export interface SeriesOptions {
  readonly onRun?: OnRun | undefined
  readonly ahead?: boolean | undefined
}

/**
 * One execution with many runs: acquire a container, compile, keep what is there, then run after run with a renewal in between.
 * A container that a run has ended, or that cannot be proven clean after it, is replaced, and the rest runs in the next one.
 *
 * @throws a platform fault, or the signal's reason once aborted; everything that the program did is data
 */
export async function runSeries(
  series: Execution & { readonly runs: readonly RunInput[] },
  stage: Stage,
  signal: AbortSignal,
  options: SeriesOptions,
): Promise<Outcome> {
  let stopClock: (() => void) | undefined
  const onContainer = (facts: ContainerFacts) => {
    // From the first one on: that it is replaced is the doing of what ran in it.
    stopClock ??= stage.budget?.start()
    stage.onContainer?.(facts)
  }
  try {
    return await runLegs(series, { ...stage, onContainer }, signal, options)
  } finally {
    stopClock?.()
  }
}

async function runLegs(
  series: Execution & { readonly runs: readonly RunInput[] },
  stage: Stage,
  signal: AbortSignal,
  { onRun = () => true, ahead = true }: SeriesOptions,
): Promise<Outcome> {
  const { budget } = stage
  const total = new SeriesTotal()
  let acquire = 0
  let compileMs = 0
  let next = 0
  let spoilt = 0
  for (;;) {
    const execution = { ...series, limits: firstLimits(series, next) }
    const asked = performance.now()
    const container = await stage.containers.acquire(execution, signal)
    acquire += performance.now() - asked
    let inOrder = false
    try {
      stage.onContainer?.(factsOf(container))
      checkConfinement(container, execution)

      const compiled = await compile(container, execution, { signal, budget })
      compileMs += compiled?.report.elapsedMs ?? 0
      const end = (last: Judged) =>
        total.over(outcomeOf(container, execution, last, acquire, compiled), compileMs)
      if (compiled && compiled.judgement.status !== 'success') {
        inOrder = compiled.report.done !== undefined
        return end(compiled)
      }
      const leg = new Leg(container, execution, next, {
        compiled: compiled !== undefined,
        ahead,
        signal,
        budget,
      })
      const unkept = await leg.keep()
      if (unkept !== undefined) return end({ report: compiled?.report ?? nothingRan(), judgement: unkept })

      const began = next
      for (let alive = true; alive && next < execution.runs.length; ) {
        if (budget?.isSpent) {
          inOrder &&= leg.isOver(next - 1)
          return end({
            report: (total.decisive ?? compiled)?.report ?? nothingRan(),
            judgement: ranOut(series),
          })
        }
        const ran = await leg.run(next)
        if (ran === undefined) break
        alive = ran.report.done !== undefined
        inOrder = alive && leg.isOver(next)
        next = (await onRun(total.add(ran), next)) ? next + 1 : execution.runs.length
      }
      if (next >= execution.runs.length && total.decisive !== undefined) return end(total.decisive)
      inOrder = false
      // A program can have code of its own run by the compiler; once it may also be that the host was slow.
      if (next === began && compiled && leg.left !== undefined) {
        if (spoilt++ === 0) continue
        return end({ report: compiled.report, judgement: notUndone(leg.left) })
      }
      if (next === began) throw new RetryableError('a container could not be renewed after its compile run')
    } catch (error) {
      inOrder = false
      throw error
    } finally {
      if (inOrder) stage.containers.giveBack(container, execution)
      else container.destroy()
    }
  }
}

/** The limits of a container for the runs from `next` on; where they cannot be changed, those of the first of these. */
function firstLimits({ limits, runs, runtime }: Execution, next: number): Limits {
  const first = runs?.[next]?.limits
  if (first === undefined || runtime === undefined || !isGvisor(runtime)) return limits
  const { memoryMb, cpus, processes } = first
  return { ...limits, memoryMb, cpus, processes }
}

/** What the compiler left would reach the program, in this container as in every other. */
function notUndone(left: string): Judgement {
  const errorMessage = `What the compile run left behind cannot be undone (${left})`
  return { status: 'execution_error', exitCode: null, signal: null, limit: null, errorMessage }
}

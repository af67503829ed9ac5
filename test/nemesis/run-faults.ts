import { seededRandom, shuffled } from '../bench/measure/random.ts'
import { EngineControl } from './arena/engine-control.ts'
import { FAULTS } from './faults/all.ts'
import type { Fault } from './faults/fault.ts'
import { findingsOf } from './findings.ts'
import { type FaultOutcome, runFault } from './run-fault.ts'

/** Options of {@link runFaults}. */
export interface RunFaultsOptions {
  readonly seed: number
  readonly jobs: number
  /** Ends the run after the faults that are being made. */
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

/** What a run of several faults did. */
export interface FaultsOutcome {
  /** In the order of {@link FAULTS}. */
  readonly outcomes: readonly FaultOutcome[]
  /** Faults that could not be made, with the reason. */
  readonly notMade: readonly { readonly fault: string; readonly reason: string }[]
}

/**
 * Makes faults in random order, in two lanes at once: those with containers share an engine, so they come one after the other; those
 * without mostly wait, and share nothing with them.
 */
export async function runFaults(
  faults: readonly Fault[],
  { seed, jobs, signal, log }: RunFaultsOptions,
): Promise<FaultsOutcome> {
  const outcomes: FaultOutcome[] = []
  const notMade: { fault: string; reason: string }[] = []
  let opening: Promise<EngineControl> | undefined
  const engine = () => {
    opening ??= EngineControl.open(log)
    return opening
  }
  let made = 0
  const run = async (fault: Fault) => {
    const report = (words: string) => log(`${++made} of ${faults.length}, ${fault.name}: ${words}`)
    try {
      // Each fault has its own numbers, so that it is the same alone as among others.
      const random = seededRandom(seed + FAULTS.indexOf(fault))
      const outcome = await runFault(fault, { jobs, random, engine })
      outcomes.push(outcome)
      report(`${findingsOf(outcome).length} findings, ${Math.round(outcome.seconds)} s`)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      notMade.push({ fault: fault.name, reason })
      report(`could not be made: ${reason}`)
      // What broke it may have broken the engine that the others share.
      if (fault.containers) await opening?.then((shared) => shared.mend()).catch(() => {})
    }
  }
  const lane = async (isOfLane: (fault: Fault) => boolean) => {
    for (const fault of shuffled(faults, seededRandom(seed)).filter(isOfLane)) {
      if (!signal.aborted) await run(fault)
    }
  }
  try {
    await Promise.all([
      lane(({ containers = false }) => containers),
      lane(({ containers = false }) => !containers),
    ])
  } finally {
    await opening?.then((shared) => shared.close())
  }
  return {
    outcomes: faults.flatMap(({ name }) => outcomes.find(({ fault }) => fault === name) ?? []),
    notMade,
  }
}

import { type Contender, inLanes, type Program, type Run } from './contender.ts'

/** Options of the search for a contender's best concurrency. */
export interface LanesTrial {
  readonly candidates: readonly number[]
  readonly programs: readonly Program[]
  /** Called with the best concurrency. */
  readonly onBest: (name: string, lanes: number) => void
}

/** Makes a contender that runs programs at its best concurrency, which it measures before the first counted block. */
export function laned(
  name: string,
  run: (program: Program) => Promise<Run>,
  trial: LanesTrial,
): Contender & { tune(): Promise<void> } {
  let best: Promise<number> | undefined
  const tuned = () => {
    best ??= findBest(run, trial).then((lanes) => {
      trial.onBest(name, lanes)
      return lanes
    })
    return best
  }
  return {
    name,
    run,
    runAll: async (programs) => await inLanes(programs, await tuned(), run),
    settle: async () => {},
    tune: async () => void (await tuned()),
  }
}

async function findBest(run: (program: Program) => Promise<Run>, trial: LanesTrial): Promise<number> {
  let best = { lanes: 1, ms: Number.POSITIVE_INFINITY }
  for (const lanes of trial.candidates) {
    const startedAt = performance.now()
    await inLanes(trial.programs, lanes, run)
    const ms = performance.now() - startedAt
    if (ms < best.ms) best = { lanes, ms }
  }
  return best.lanes
}

import type { Stack } from '@isopod/devstack'
import { type Io, note } from './io.ts'
import type { Services } from './services.ts'

/** How long a start may take before its steps are shown, in milliseconds. */
const SLOW_START_MS = 3_000

/** Starts the missing parts of a stack; shows the steps if they take long. */
export async function startStack(io: Io, services: Services, workers: number): Promise<Stack> {
  const steps = stepsOfSlowStart((line) => note(io, `isopod: ${line}`))
  try {
    return await services.ensureStack({ env: io.env, workers, log: steps.log })
  } finally {
    steps.end()
  }
}

/** Holds back the steps of a quick start; once a start is slow, shows them all. */
function stepsOfSlowStart(log: (line: string) => void): { log(line: string): void; end(): void } {
  let held: string[] | undefined = []
  const timer = setTimeout(() => {
    for (const line of held ?? []) log(line)
    held = undefined
  }, SLOW_START_MS)
  return {
    log: (line) => {
      if (held === undefined) log(line)
      else held.push(line)
    },
    end: () => clearTimeout(timer),
  }
}

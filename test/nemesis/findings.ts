import type { FaultOutcome } from './run-fault.ts'

/** How long the first result after a fault may take, in seconds. */
export const MAX_RECOVERY_SECONDS = 20

/** Everything that is wrong with an outcome, one sentence each. */
export function findingsOf(outcome: FaultOutcome): string[] {
  const { lost, doubled, wrong, left } = outcome
  return [...lost, ...doubled, ...wrong, ...left, ...slowness(outcome)]
}

function slowness({ recoverySeconds }: FaultOutcome): string[] {
  if (recoverySeconds === undefined) return ['no result came after the fault']
  if (recoverySeconds <= MAX_RECOVERY_SECONDS) return []
  return [`the first result after the fault took ${recoverySeconds.toFixed(1)} s`]
}

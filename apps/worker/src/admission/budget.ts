import { ConfigError } from '@isopod/protocol'
import type { DriverFacts } from '@isopod/sandbox'
import type { Budget } from './admission.ts'

/** Of the memory of the engine's host; the rest is for the engine, Redis, the worker and the kernel. */
const SHARE_OF_MEMORY = 0.75
const MIB = 1024 * 1024
/** Half a core each is what executions get unless they ask otherwise. */
const SLOTS_PER_CORE = 2

/** What an operator has said of the budget; what is undefined follows from the engine's host. */
export interface BudgetSettings {
  readonly memoryMb: number | undefined
  readonly cpus: number | undefined
  readonly slots: number | undefined
}

/**
 * The budget of one worker. Several workers on one host know nothing of each other: each should be given its part.
 *
 * @param usualMemoryMb what a job gets that asks for nothing
 * @throws {ConfigError} if the operator's memory does not hold one such job
 */
export function budgetOf(
  { memoryMb, cpus, slots }: BudgetSettings,
  host: Pick<DriverFacts, 'cpus' | 'memoryBytes'>,
  usualMemoryMb: number,
): Budget {
  if (memoryMb !== undefined && memoryMb < usualMemoryMb) {
    throw new ConfigError(
      `ISOPOD_MEMORY_MB: must be at least SANDBOX_DEFAULT_MEMORY_LIMIT_MB (${usualMemoryMb}), or no job without a limit of its own could run, got ${memoryMb}`,
    )
  }
  const share = Math.floor((host.memoryBytes / MIB) * SHARE_OF_MEMORY)
  return {
    memoryMb: memoryMb ?? Math.max(share, usualMemoryMb),
    cpus: cpus ?? host.cpus,
    slots: slots ?? Math.max(1, host.cpus * SLOTS_PER_CORE),
  }
}

import { ConfigError } from '@isopod/protocol'
import type { DriverFacts } from '@isopod/sandbox'
import type { Budget } from './admission.ts'

/** Share of the host's memory; the rest is for the engine, Redis, the workers and the kernel. */
const SHARE_OF_MEMORY = 0.75
const MIB = 1024 * 1024
/** By default an execution has half a core. */
const SLOTS_PER_CORE = 2
/** Smallest budget that holds an execution. */
const MIN_CPUS = 0.1

/** What the operator has set of the budget; what is undefined follows from the engine's host. */
export interface BudgetSettings {
  /** Workers that share the host. */
  readonly workers: number
  readonly memoryMb: number | undefined
  readonly cpus: number | undefined
  readonly slots: number | undefined
}

/**
 * The budget of one worker: what the operator has set, or its part of the host.
 *
 * @param usualMemoryMb memory limit of a job that sets none
 * @throws {ConfigError} if the memory does not suffice for one such job
 */
export function budgetOf(
  { workers, memoryMb, cpus, slots }: BudgetSettings,
  host: Pick<DriverFacts, 'cpus' | 'memoryBytes'>,
  usualMemoryMb: number,
): Budget {
  if (memoryMb !== undefined && memoryMb < usualMemoryMb) {
    throw new ConfigError(
      `ISOPOD_MEMORY_MB: must be at least SANDBOX_DEFAULT_MEMORY_LIMIT_MB (${usualMemoryMb}), or no job without a limit of its own could run, got ${memoryMb}`,
    )
  }
  const shareMb = Math.floor(((host.memoryBytes / MIB) * SHARE_OF_MEMORY) / workers)
  const shareCpus = Math.max(MIN_CPUS, host.cpus / workers)
  return {
    memoryMb: memoryMb ?? Math.max(shareMb, usualMemoryMb),
    cpus: cpus ?? shareCpus,
    slots: slots ?? Math.max(1, Math.floor(shareCpus * SLOTS_PER_CORE)),
  }
}

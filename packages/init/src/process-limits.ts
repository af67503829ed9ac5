/** How init sets one limit of each process. */
interface ProcessLimit {
  readonly name: string
  /** Linux's number of the resource (getrlimit(2)); the same on x64 and arm64. */
  readonly resource: number
  /** What one of the limit is in the kernel's unit: 1, or 1024 * 1024 for a limit in MiB. The product stays below 4 GiB. */
  readonly unit: number
  /** Lowest value with which a program can start, in the limit's own unit. */
  readonly least: number
}

/**
 * The limits of each process of a program, in the order of the wire. Init sets and reads back whatever limits it is sent, so
 * only this list names them.
 */
export const PROCESS_LIMITS = [
  /** RLIMIT_NOFILE: open files and sockets. A waiting process is controlled through its highest descriptor. */
  { name: 'openFiles', resource: 7, unit: 1, least: 4 },
] as const satisfies readonly ProcessLimit[]

type ProcessLimitName = (typeof PROCESS_LIMITS)[number]['name']

/** A value for each limit of a process. */
export type ProcessLimits = Readonly<Record<ProcessLimitName, number>>

/** The limits of a process as the kernel reports them; null for one that was not set or could not be read. */
export type HeldLimits = Readonly<Record<ProcessLimitName, number | null>>

/** Names the values that init has read back, which are in the order of the wire. */
export function heldLimits(values: readonly (number | null)[]): HeldLimits {
  const held = PROCESS_LIMITS.map(({ name, unit }, index) => {
    const value = values[index] ?? null
    return [name, value === null ? null : value / unit]
  })
  return Object.fromEntries(held) as HeldLimits
}

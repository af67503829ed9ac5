import { ConfigError, type LimitsRequest, MAX_OUTPUT_BYTES } from '@isopod/protocol'

/** Longest UTF-8 form of one character, in bytes. */
const BYTES_PER_CHARACTER = 4

/** Field → whether it must be whole, least, most. */
const BOUNDS = {
  timeLimit: [true, 1, 300],
  memoryLimit: [true, 16, 1024],
  cpuLimit: [false, 0.1, 256],
  maxOutputChars: [true, 1, MAX_OUTPUT_BYTES],
} as const

/** The fields of {@link ExecutionLimits}. */
export interface ExecutionLimitsOptions {
  /** Seconds of wall-clock time. @default 30 */
  readonly timeLimit?: number | undefined
  /** MiB; there is no swap. @default 256 */
  readonly memoryLimit?: number | undefined
  /** Processor cores. @default 0.5 */
  readonly cpuLimit?: number | undefined
  /** Characters of stdout, and characters of stderr, that a result carries. @default 100000 */
  readonly maxOutputChars?: number | undefined
}

/** Limits of one execution, as the API document has them. */
export class ExecutionLimits implements Required<ExecutionLimitsOptions> {
  readonly timeLimit: number
  readonly memoryLimit: number
  readonly cpuLimit: number
  readonly maxOutputChars: number

  /** @throws {ConfigError} naming the field, what is allowed and what was given */
  constructor(options: ExecutionLimitsOptions = {}) {
    const { timeLimit = 30, memoryLimit = 256, cpuLimit = 0.5, maxOutputChars = 100_000 } = options
    this.timeLimit = checkNumber('timeLimit', timeLimit, BOUNDS.timeLimit)
    this.memoryLimit = checkNumber('memoryLimit', memoryLimit, BOUNDS.memoryLimit)
    this.cpuLimit = checkNumber('cpuLimit', cpuLimit, BOUNDS.cpuLimit)
    this.maxOutputChars = checkNumber('maxOutputChars', maxOutputChars, BOUNDS.maxOutputChars)
  }
}

/** @throws {ConfigError} naming the field, what is allowed and what was given */
export function checkNumber(
  name: string,
  value: unknown,
  [whole, least, most]: readonly [boolean, number, number],
): number {
  const fits = typeof value === 'number' && value >= least && value <= most
  if (fits && (!whole || Number.isInteger(value))) return value
  throw new ConfigError(
    `${name}: must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}, got ${JSON.stringify(value)}`,
  )
}

/** The limits of a job. Output is asked for in bytes, and cut to characters afterwards. */
export function jobLimits(limits: ExecutionLimits): LimitsRequest {
  return {
    timeoutSeconds: limits.timeLimit,
    memoryMb: limits.memoryLimit,
    cpus: limits.cpuLimit,
    outputBytes: Math.min(limits.maxOutputChars * BYTES_PER_CHARACTER, MAX_OUTPUT_BYTES),
  }
}

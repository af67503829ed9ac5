import { ConfigError, type LimitsRequest, MAX_OUTPUT_BYTES } from '@isopod/protocol'

/** Maximum length of a character in UTF-8, in bytes. */
const MAX_CHARACTER_BYTES = 4

/** Allowed values of a number. */
interface NumberRule {
  readonly min: number
  readonly max: number
  readonly isWhole: boolean
}

/** The wall-clock time of an execution, in seconds. */
export const TIME_LIMIT_RULE: NumberRule = { min: 1, max: 300, isWhole: true }
const MEMORY_LIMIT_RULE: NumberRule = { min: 16, max: 1024, isWhole: true }
const CPU_LIMIT_RULE: NumberRule = { min: 0.1, max: 256, isWhole: false }
const OUTPUT_LIMIT_RULE: NumberRule = { min: 1, max: MAX_OUTPUT_BYTES, isWhole: true }

/** The fields of {@link ExecutionLimits}. */
export interface ExecutionLimitsOptions {
  /** Seconds of wall-clock time. @default 30 */
  readonly timeLimit?: number | undefined
  /** MiB; there is no swap. @default 256 */
  readonly memoryLimit?: number | undefined
  /** Processor cores. @default 0.5 */
  readonly cpuLimit?: number | undefined
  /** Maximum number of characters of stdout, and of stderr, in a result. @default 100000 */
  readonly maxOutputChars?: number | undefined
}

/** Limits of one execution, as in the API document. */
export class ExecutionLimits implements Required<ExecutionLimitsOptions> {
  readonly timeLimit: number
  readonly memoryLimit: number
  readonly cpuLimit: number
  readonly maxOutputChars: number

  /** @throws {ConfigError} naming the field, what is allowed and what was given */
  constructor(options: ExecutionLimitsOptions = {}) {
    const { timeLimit = 30, memoryLimit = 256, cpuLimit = 0.5, maxOutputChars = 100_000 } = options
    this.timeLimit = checkNumber('timeLimit', timeLimit, TIME_LIMIT_RULE)
    this.memoryLimit = checkNumber('memoryLimit', memoryLimit, MEMORY_LIMIT_RULE)
    this.cpuLimit = checkNumber('cpuLimit', cpuLimit, CPU_LIMIT_RULE)
    this.maxOutputChars = checkNumber('maxOutputChars', maxOutputChars, OUTPUT_LIMIT_RULE)
  }
}

/** @throws {ConfigError} naming the field, what is allowed and what was given */
export function checkNumber(name: string, value: unknown, { min, max, isWhole }: NumberRule): number {
  const fits = typeof value === 'number' && value >= min && value <= max
  if (fits && (!isWhole || Number.isInteger(value))) return value
  throw new ConfigError(
    `${name}: must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}, got ${JSON.stringify(value)}`,
  )
}

/** The limits of a job. The output limit is in bytes; the result is cut to characters afterwards. */
export function jobLimits(limits: ExecutionLimits): LimitsRequest {
  return {
    timeoutSeconds: limits.timeLimit,
    memoryMb: limits.memoryLimit,
    cpus: limits.cpuLimit,
    outputBytes: Math.min(limits.maxOutputChars * MAX_CHARACTER_BYTES, MAX_OUTPUT_BYTES),
  }
}

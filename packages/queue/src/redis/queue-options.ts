import { ConfigError } from '@isopod/protocol'

/** Which Redis to use, and under which keys. */
export interface QueueOptions {
  /** `redis://`, `rediss://`, `redis+unix://<absolute path>`, or the bare absolute path of a socket. */
  readonly url: string
  /** All keys start with `{prefix}`; queues with different prefixes are separate. @default 'isopod' */
  readonly prefix?: string | undefined
  /** Whether to accept a Redis that may evict keys, and thus jobs. @default false */
  readonly allowEviction?: boolean | undefined
  /**
   * Time to live of a result, of an unconsumed result in its results queue, and of an idempotency key, in seconds.
   * @default 86400
   */
  readonly resultTtlSeconds?: number | undefined
}

/** Name of the queue that carries jobs. */
export const JOBS_QUEUE = 'jobs'

/** One day: see {@link QueueOptions.resultTtlSeconds}. */
const DEFAULT_RESULT_TTL_SECONDS = 86_400

/** Maximum number of attempts at a job if the platform fails it. */
export const PLATFORM_TRIES = 6

/** The validated {@link QueueOptions}, defaults filled in. */
export interface ResolvedOptions {
  readonly url: string
  readonly prefix: string
  readonly allowEviction: boolean
  readonly resultTtlSeconds: number
}

/**
 * Checks {@link QueueOptions} and fills in defaults.
 *
 * @throws {ConfigError} naming the option, what is allowed and what was given
 */
export function resolveOptions(options: QueueOptions): ResolvedOptions {
  const { url, prefix = 'isopod', allowEviction = false } = options
  const resultTtlSeconds = options.resultTtlSeconds ?? DEFAULT_RESULT_TTL_SECONDS
  if (typeof prefix !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(prefix)) {
    throw new ConfigError(
      `prefix: must be 1 to 64 characters of a-z, A-Z, 0-9, ".", "_" and "-", starting with a letter or digit, got ${JSON.stringify(prefix)}`,
    )
  }
  if (!Number.isInteger(resultTtlSeconds) || resultTtlSeconds < 1 || resultTtlSeconds > 31_536_000) {
    throw new ConfigError(
      `resultTtlSeconds: must be a whole number from 1 to 31536000, got ${resultTtlSeconds}`,
    )
  }
  return { url, prefix, allowEviction, resultTtlSeconds }
}

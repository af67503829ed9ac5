import { ConfigError } from '@isopod/protocol'

/** Which Redis to use, and under which keys. */
export interface QueueOptions {
  /** `redis://`, `rediss://`, `redis+unix://<absolute path>`, or the bare absolute path of a socket. */
  readonly url: string
  /** All keys live under `{prefix}`; two prefixes never meet. @default 'isopod' */
  readonly prefix?: string | undefined
  /** Accept a Redis that may evict keys, and with them jobs. @default false */
  readonly allowEviction?: boolean | undefined
  /**
   * How long a result can be read by id, how long an untaken one stays in its results queue, and how long an
   * idempotency key is remembered, in seconds. @default 86400
   */
  readonly resultTtlSeconds?: number | undefined
}

/** Name of the queue that carries jobs. */
export const JOBS_QUEUE = 'jobs'

/** One day: see {@link QueueOptions.resultTtlSeconds}. */
const DEFAULT_RESULT_TTL_SECONDS = 86_400

/** Tries that a job gets when the platform fails it, the first one included. */
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

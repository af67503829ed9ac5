import { ConfigError } from '@isopod/protocol'
import { NO_RESULTS_QUEUE } from '@isopod/queue'
import { refuseUnknownOptions } from './option-names.ts'

const CONSUME_OPTIONS = { replyTo: true, concurrency: true, onError: true } as const

/** Options of `results`. */
export interface ConsumeOptions {
  /** Name of the results queue: the `replyTo` of the jobs. @default 'default' */
  readonly replyTo?: string | undefined
  /** Maximum number of concurrent handlers. @default 10 */
  readonly concurrency?: number | undefined
  /** Receives each error of the handler and of Redis; both are retried. */
  readonly onError?: ((error: Error) => void) | undefined
}

/**
 * Checks {@link ConsumeOptions} and fills in the name of the queue.
 *
 * @throws {ConfigError} naming the option
 */
export function checkConsumeOptions(options: ConsumeOptions): ConsumeOptions & { readonly replyTo: string } {
  refuseUnknownOptions(options, CONSUME_OPTIONS)
  const { replyTo = 'default', concurrency } = options
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(replyTo)) {
    throw new ConfigError(
      `replyTo: must be 1 to 64 characters of a-z, A-Z, 0-9, ".", "_" and "-", starting with a letter or digit, got ${JSON.stringify(replyTo)}`,
    )
  }
  if (replyTo === NO_RESULTS_QUEUE) {
    throw new ConfigError(
      `replyTo: must not be "${NO_RESULTS_QUEUE}", which is for jobs whose results go to no queue`,
    )
  }
  if (concurrency !== undefined && (!Number.isInteger(concurrency) || concurrency < 1)) {
    throw new ConfigError(`concurrency: must be a whole number from 1, got ${concurrency}`)
  }
  return { ...options, replyTo }
}

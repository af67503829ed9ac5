import { ConfigError } from '@isopod/protocol'
import { NO_RESULTS_QUEUE } from '@isopod/queue'
import { refuseUnknownOptions } from './option-names.ts'

const CONSUME_OPTIONS = { replyTo: true, concurrency: true, maxDeliveries: true, onError: true } as const

/** Options of `results`. */
export interface ConsumeOptions {
  /** Name of the results queue: the `replyTo` of the jobs. @default 'default' */
  readonly replyTo?: string | undefined
  /** Maximum number of concurrent handlers. @default 10 */
  readonly concurrency?: number | undefined
  /**
   * Maximum number of deliveries of a result; then it goes to the dead results, which `isopod results redeliver` delivers again.
   * @default 100, about 50 minutes
   */
  readonly maxDeliveries?: number | undefined
  /** Receives each error of the handler and of Redis, and of a result that goes to the dead ones; the others are retried. */
  readonly onError?: ((error: Error) => void) | undefined
}

/**
 * Checks {@link ConsumeOptions} and fills in the name of the queue.
 *
 * @throws {ConfigError} naming the option
 */
export function checkConsumeOptions(options: ConsumeOptions): ConsumeOptions & { readonly replyTo: string } {
  refuseUnknownOptions(options, CONSUME_OPTIONS)
  const { replyTo = 'default', concurrency, maxDeliveries } = options
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
  for (const [name, value] of Object.entries({ concurrency, maxDeliveries })) {
    if (value !== undefined && (!Number.isInteger(value) || value < 1)) {
      throw new ConfigError(`${name}: must be a whole number from 1, got ${value}`)
    }
  }
  return { ...options, replyTo }
}

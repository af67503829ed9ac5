import type { JobFilter } from '@isopod/client'
import { namesAndValues } from '../option-values.ts'

/** Options that select jobs. */
export interface FilterOptions {
  readonly batch?: string
  readonly label?: readonly string[]
  readonly replyTo?: string
  readonly tenant?: string
}

/**
 * The filter that options select; empty without any.
 *
 * @throws {UsageError} if a label is not NAME=VALUE
 */
export function jobFilter({ batch, label, replyTo, tenant }: FilterOptions): JobFilter {
  return {
    ...(batch !== undefined && { batchId: batch }),
    ...(label !== undefined && { labels: namesAndValues('--label', label) }),
    ...(replyTo !== undefined && { replyTo }),
    ...(tenant !== undefined && { tenant }),
  }
}

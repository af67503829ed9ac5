import type { JobFilter } from '@isopod/client'
import { UsageError } from '@isopod/service-kit'
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
 * @throws {UsageError} if one is empty, as from a variable of a shell that is not set, or a label is not NAME=VALUE
 */
export function jobFilter({ batch, label, replyTo, tenant }: FilterOptions): JobFilter {
  for (const [option, value] of Object.entries({
    '--batch': batch,
    '--reply-to': replyTo,
    '--tenant': tenant,
  })) {
    if (value === '') throw new UsageError(`${option}: must not be empty`)
  }
  return {
    ...(batch !== undefined && { batchId: batch }),
    ...(label !== undefined && { labels: namesAndValues('--label', label) }),
    ...(replyTo !== undefined && { replyTo }),
    ...(tenant !== undefined && { tenant }),
  }
}

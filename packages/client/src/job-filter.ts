import { ConfigError } from '@isopod/protocol'
import type { JobFilter } from '@isopod/queue'
import type { JobsOptions } from './isopod-client.ts'
import { refuseUnknownOptions } from './option-names.ts'

const FILTER = { batchId: true, labels: true, replyTo: true, tenant: true } as const
const JOBS_OPTIONS = { ...FILTER, limit: true, cursor: true } as const
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

/**
 * Checks which jobs are to be cancelled.
 *
 * @throws {ConfigError} if no field is given, or naming the field
 */
export function checkCancelFilter(filter: JobFilter): JobFilter {
  refuseUnknownOptions(filter, FILTER)
  checkFields(filter)
  const { labels, ...names } = filter
  const isGiven =
    Object.keys(labels ?? {}).length > 0 || Object.values(names).some((name) => name !== undefined)
  if (isGiven) return filter
  throw new ConfigError('cancelJobs: needs at least one of batchId, labels, replyTo and tenant')
}

/**
 * Checks which jobs are to be listed.
 *
 * @throws {ConfigError} naming the option
 */
export function checkJobsOptions(options: JobsOptions): {
  filter: JobFilter
  limit: number
  cursor?: string
} {
  refuseUnknownOptions(options, JOBS_OPTIONS)
  const { limit = DEFAULT_LIMIT, cursor, ...filter } = options
  checkFields(filter)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new ConfigError(`limit: must be a whole number from 1 to ${MAX_LIMIT}, got ${limit}`)
  }
  if (cursor === undefined) return { filter, limit }
  if (typeof cursor === 'string') return { filter, limit, cursor }
  throw new ConfigError(`cursor: must be the cursor of the page before, got ${typeof cursor}`)
}

function checkFields({ labels, ...names }: JobFilter): void {
  for (const [field, name] of Object.entries(names)) checkText(field, name)
  if (labels === undefined) return
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) {
    throw new ConfigError(`labels: must be an object of texts, got ${JSON.stringify(labels)}`)
  }
  for (const [name, value] of Object.entries(labels)) {
    if (typeof value !== 'string') {
      throw new ConfigError(`labels.${name}: must be text, got ${JSON.stringify(value)}`)
    }
  }
}

function checkText(field: string, text: unknown): void {
  if (text === undefined || (typeof text === 'string' && text !== '')) return
  throw new ConfigError(`${field}: must be text that is not empty, got ${JSON.stringify(text)}`)
}

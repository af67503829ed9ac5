import { QueueKeys } from 'bullmq'

/** Names of keys in other releases of BullMQ, or in some queues only. */
const OTHERS = ['delay', 'dn', 'logs', 'metrics', 'priority', 'resumed', 'rate-limit']

/**
 * BullMQ's names for the lists, sets and hashes of a queue. A job's key has the same form, with its id as the name: a job `wait`
 * would be the list of waiting jobs.
 */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(new QueueKeys('').getKeys('')).filter((name) => name !== ''),
  ...OTHERS,
])

/** Whether an id from outside can be the id of a job: it is part of keys and of other ids, and must not be a reserved name. */
export function isSafeId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(id) && !RESERVED_NAMES.has(id)
}

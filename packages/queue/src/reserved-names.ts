import { QueueKeys } from 'bullmq'

/** Names that BullMQ has given to keys of a queue in other releases, or gives to those of some queues only. */
const OTHERS = ['delay', 'dn', 'logs', 'metrics', 'priority', 'resumed', 'rate-limit']

/**
 * What BullMQ calls the lists, sets and hashes of a queue. A job lies beside them under its id: one that is called `wait` would be
 * the list of the jobs that wait.
 */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(new QueueKeys('').getKeys('')).filter((name) => name !== ''),
  ...OTHERS,
])

import { createHash, randomUUID } from 'node:crypto'
import type { Job } from '@isopod/protocol'
import { RESERVED_NAMES } from './reserved-names.ts'

/** An id for one more job, sortable by time; never a bare number, never with a colon, as BullMQ demands. */
export function newJobId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  // Node keeps random bytes for these in stock, and asks the system for any others.
  return `j-${time}${randomUUID().replaceAll('-', '').slice(-20)}`
}

/** The id that all jobs of one tenant with the same idempotency key share. */
export function keyedJobId(tenant: string, idempotencyKey: string): string {
  return `k-${sha256(`${tenant}\0${idempotencyKey}`).slice(0, 40)}`
}

/** What makes two jobs the same job: everything but the key, whatever the order of their fields. */
export function jobFingerprint(job: Job): string {
  const { idempotencyKey: _, ...rest } = job
  return sha256(JSON.stringify(sorted(rest)))
}

/** Says whether an id from outside can be that of a job: part of keys and of other ids, and no name that BullMQ needs itself. */
export function isSafeId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(id) && !RESERVED_NAMES.has(id)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)]),
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

import { createHash, randomUUID } from 'node:crypto'
import type { Job } from '@isopod/protocol'

/** A new job id, sortable by time. BullMQ allows neither a bare number nor a colon. */
export function newJobId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  // Node caches random bytes for UUIDs, and makes a system call for any others.
  return `j-${time}${randomUUID().replaceAll('-', '').slice(-20)}`
}

/** Whether {@link newJobId} made the id, so that no other job has it. */
export function isNewJobId(id: string): boolean {
  return /^j-[0-9a-f]{32}$/.test(id)
}

/** The common id of all jobs of a tenant with the same idempotency key. */
export function keyedJobId(tenant: string, idempotencyKey: string): string {
  return `k-${sha256(`${tenant}\0${idempotencyKey}`).slice(0, 40)}`
}

/** Fingerprint of a job: all fields but its idempotency key, in any order. */
export function jobFingerprint(job: Job): string {
  const { idempotencyKey: _, ...rest } = job
  return sha256(JSON.stringify(sorted(rest)))
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

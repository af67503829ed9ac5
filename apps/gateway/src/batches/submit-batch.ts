import { createHash, randomUUID } from 'node:crypto'
import type { Access, BatchRecord } from '@isopod/access'
import { IdempotencyConflictError, InvalidJobError, TenantQueueFullError } from '@isopod/client'
import type { Caller } from '../callers.ts'
import { invalidField, RequestRefused } from '../http/problem.ts'
import type { Submissions, UncheckedJob } from '../submissions.ts'

/** A requested batch, before the client validates its jobs. */
export interface BatchRequest {
  readonly name?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly jobs: readonly unknown[]
}

/**
 * Enqueues the jobs of a batch, then stores the batch, so that all jobs of a stored batch are in the queue. With an
 * `idempotencyKey` the ids derive from the key, so that a caller can repeat the request if the gateway dies.
 *
 * @throws {RequestRefused} 409 if the key was used for other jobs
 * @throws what `Submissions.submitMany` does
 */
export async function submitBatch(
  { access, submissions }: { readonly access: Access; readonly submissions: Submissions },
  caller: Caller,
  { name, idempotencyKey, jobs }: BatchRequest,
): Promise<BatchRecord> {
  const tenant = caller.tenant ?? tenantOf(jobs)
  const submit = async (id: string): Promise<BatchRecord> => {
    const members = jobs.map((job, index) => memberOf(job, index, id, idempotencyKey !== undefined))
    const executions = await submissions.submitMany(caller, members)
    const batch = {
      id,
      tenant,
      name: name ?? null,
      submittedAt: Date.now(),
      executions,
      tests: jobs.map(countTests),
    }
    await access.batches.record(batch)
    return batch
  }
  if (idempotencyKey === undefined) return await submit(`b-${randomUUID().replaceAll('-', '')}`)

  const id = `b-${sha256(JSON.stringify([tenant, idempotencyKey])).slice(0, 40)}`
  const claim = await access.batches.claim(id, sha256(JSON.stringify([name ?? null, jobs])))
  if (claim === 'other') throw conflict()
  const known = claim === 'same' ? await access.batches.find(id) : undefined
  if (known !== undefined) return known
  try {
    return await submit(id)
  } catch (error) {
    // After any other error some jobs may be in the queue: the key stays bound to them, so that the request can be repeated.
    if (claim === 'claimed' && isRefusal(error)) await access.batches.withdraw(id).catch(() => {})
    throw error
  }
}

/** Whether an error says that no job was enqueued. */
function isRefusal(error: unknown): boolean {
  const refusals = [RequestRefused, InvalidJobError, IdempotencyConflictError, TenantQueueFullError]
  return refusals.some((kind) => error instanceof kind)
}

/** Adds the `batchId` to a job and, in a batch with an idempotency key, an idempotency key of its own. */
function memberOf(job: unknown, index: number, batch: string, isKeyed: boolean): UncheckedJob {
  // Not an object: the client refuses it with a better error.
  if (typeof job !== 'object' || job === null || Array.isArray(job)) return job as UncheckedJob
  return {
    batchId: batch,
    ...(isKeyed && { idempotencyKey: `${batch}/${index}` }),
    ...(job as UncheckedJob),
  }
}

/** The tenant that the jobs of an admin name. @throws {RequestRefused} 400 if they name several */
function tenantOf(jobs: readonly unknown[]): string {
  const tenants = jobs.map((job) => fieldOf(job, 'tenant') ?? 'default')
  const [first] = tenants
  const other = tenants.findIndex((tenant) => tenant !== first)
  if (other < 0) return String(first)
  const rule = 'must be that of the first job; a batch belongs to one tenant'
  throw invalidField(`jobs[${other}].tenant`, rule)
}

function countTests(job: unknown): number | null {
  const tests = fieldOf(job, 'tests')
  return Array.isArray(tests) ? tests.length : null
}

function fieldOf(job: unknown, name: 'tenant' | 'tests'): unknown {
  return typeof job === 'object' && job !== null ? Reflect.get(job, name) : undefined
}

function conflict(): RequestRefused {
  const detail =
    'idempotencyKey: was used before for a batch that differs from this one; use another key, or send the same batch'
  const errors = [{ field: 'idempotencyKey', message: detail }]
  return new RequestRefused({ status: 409, code: 'idempotency_conflict', detail, errors })
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

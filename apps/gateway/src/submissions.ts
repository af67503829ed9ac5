import type { Access } from '@isopod/access'
import { InvalidJobError, type IsopodClient, type JobInput, NoWorkerError, type Result } from '@isopod/client'
import type { CallbackRule } from './callback-rule.ts'
import type { Caller } from './callers.ts'
import { invalidField, RequestRefused } from './http/problem.ts'
import type { QueueGate } from './queue-gate.ts'

/** How long a request waits for a worker while none is alive, in seconds: longer than a worker takes to restart. */
const WORKER_TIMEOUT_SECONDS = 30
/** `Retry-After` if no worker is alive, in seconds. */
const RETRY_NO_WORKER_SECONDS = 10
/** `Retry-After` of a key that has too many executions, in seconds. */
const RETRY_BUDGET_SECONDS = 1

/** Dependencies of {@link Submissions}. */
export interface SubmissionParts {
  readonly client: IsopodClient
  readonly access: Access
  readonly gate: QueueGate
  /** Aborted when the grace of a shutdown ends, with the refusal for requests that still wait. */
  readonly drained: AbortSignal
  readonly callbackRule: CallbackRule
}

/** A job of a request, before the client validates it. */
export type UncheckedJob = JobInput & { tenant?: unknown; labels?: Record<string, string> }

/** Enqueues jobs for callers. Enforces the maximum queue length, the key's budget and the key's tenant for all routes. */
export class Submissions {
  readonly #parts: SubmissionParts

  constructor(parts: SubmissionParts) {
    this.#parts = parts
  }

  /**
   * Enqueues one job. Its result goes to no results queue, because HTTP callers read it by id; only admins may set
   * `replyTo`.
   *
   * @returns its id
   * @throws {InvalidJobError} naming the fields
   * @throws {RequestRefused} 403, 429 or 503
   */
  async submit(caller: Caller, job: UncheckedJob): Promise<string> {
    const owned = this.#own(caller, job, '')
    const [id = ''] = await this.#enqueue(caller, [owned], async (client) => [await client.submit(owned)])
    return id
  }

  /** Enqueues jobs in order; if one is invalid, none is enqueued. Problems name the job, as in `jobs[3].code`. */
  async submitMany(caller: Caller, jobs: readonly UncheckedJob[]): Promise<string[]> {
    const owned = jobs.map((job, index) => this.#own(caller, job, `jobs[${index}].`))
    return await this.#enqueue(caller, owned, (client) => client.submitMany(owned))
  }

  /**
   * Enqueues a job and waits for its result. If the caller disconnects or the gateway stops, the job is cancelled,
   * because only this request knows its id. So it is if no worker is alive for 30 s.
   *
   * @throws what `submit` and `wait` do; 503 `no_worker`
   */
  async run(caller: Caller, job: UncheckedJob, gone: AbortSignal): Promise<Result> {
    const id = await this.submit(caller, job)
    const signal = AbortSignal.any([gone, this.#parts.drained])
    try {
      return await this.#parts.client.wait(id, { signal, workerTimeoutSeconds: WORKER_TIMEOUT_SECONDS })
    } catch (error) {
      const isWithoutWorker = error instanceof NoWorkerError
      if (signal.aborted || isWithoutWorker) await this.#parts.client.cancel(id).catch(() => {})
      if (isWithoutWorker) throw withoutWorker()
      throw error
    }
  }

  /** How long an execution may wait that was just submitted, with a sentence if no worker is alive. */
  async outlook(): Promise<{ predictedWaitSeconds: number | null; warning?: string }> {
    // The job is enqueued, so an outage of Redis must not fail the request.
    const outlook = await this.#parts.gate.outlook().catch(() => undefined)
    const predictedWaitSeconds = outlook?.predictedWaitSeconds ?? null
    if (outlook?.workers !== 0) return { predictedWaitSeconds }
    const warning = 'No worker is running; the execution waits until one starts.'
    return { predictedWaitSeconds, warning }
  }

  /** @throws {RequestRefused} 404 if the execution is not the caller's */
  async checkOwner(caller: Caller, id: string): Promise<void> {
    if (caller.tenant === undefined) return
    if (await this.#parts.access.executions.belongs(caller.tenant, id)) return
    throw unknownExecution(id)
  }

  async #enqueue(
    caller: Caller,
    jobs: readonly JobInput[],
    enqueue: (client: IsopodClient) => Promise<string[]>,
  ): Promise<string[]> {
    const { client, access, gate } = this.#parts
    checkLength(jobs.length, Math.min(gate.maximum, caller.key?.maxInFlight ?? gate.maximum))
    await gate.admit(jobs.length)
    const { key } = caller
    const limit = key?.maxInFlight ?? null
    const reservation =
      key === undefined || limit === null
        ? undefined
        : ((await access.executions.admit(key.id, jobs.length, limit)) ?? tooMany(limit))
    let ids: string[]
    try {
      ids = await enqueue(client)
    } catch (error) {
      // If Redis failed, the reservation expires after a minute.
      await reservation?.release().catch(() => {})
      throw error
    }
    await reservation?.settle(ids)
    await this.#note(jobs, ids)
    return ids
  }

  #own(caller: Caller, job: UncheckedJob, where: string): JobInput {
    // The client refuses it with a better error.
    if (typeof job !== 'object' || job === null || Array.isArray(job)) return job
    this.#checkCallback(job, where)
    const { tenant } = caller
    if (tenant === undefined) return { replyTo: 'none', ...job }
    if (job.tenant !== undefined && job.tenant !== tenant) {
      throw forbiddenField(`${where}tenant`, `this caller submits for ${tenant} only`)
    }
    // All tenants share the results queues, and consumers trust their content.
    if (job.replyTo !== undefined && job.replyTo !== 'none') {
      throw forbiddenField(`${where}replyTo`, 'only a key with the scope admin may name a results queue')
    }
    return { ...job, replyTo: 'none', tenant }
  }

  /** @throws {InvalidJobError} if the gateway never calls the job's URL */
  #checkCallback({ callbackUrl }: UncheckedJob, where: string): void {
    const problem = typeof callbackUrl === 'string' ? this.#parts.callbackRule(callbackUrl) : undefined
    if (problem === undefined) return
    const field = `${where}callbackUrl`
    throw new InvalidJobError([{ field, message: `${field}: ${problem}` }])
  }

  async #note(jobs: readonly JobInput[], ids: readonly string[]): Promise<void> {
    const byTenant = Map.groupBy(jobs.entries(), ([, { tenant }]) => tenant ?? 'default')
    await Promise.all(
      [...byTenant].map(([tenant, entries]) =>
        this.#parts.access.executions.record(
          tenant,
          entries.map(([index, { labels }]) => ({ id: ids[index] ?? '', ...(labels && { labels }) })),
        ),
      ),
    )
  }
}

function withoutWorker(): RequestRefused {
  const detail = `No worker is running, and none started within ${WORKER_TIMEOUT_SECONDS} s. The execution is cancelled.`
  const retryAfterSeconds = RETRY_NO_WORKER_SECONDS
  return new RequestRefused({ status: 503, code: 'no_worker', detail, retryAfterSeconds })
}

/** The refusal for an execution that does not exist or belongs to another tenant. */
export function unknownExecution(id: string): RequestRefused {
  const detail = `There is no execution ${JSON.stringify(id.slice(0, 128))}, or its result has expired.`
  return new RequestRefused({ status: 404, code: 'unknown_job', detail })
}

function forbiddenField(field: string, why: string): RequestRefused {
  const message = `${field}: ${why}`
  return new RequestRefused({ status: 403, code: 'forbidden', detail: message, errors: [{ field, message }] })
}

/** @throws {RequestRefused} 400 for a list that can never be admitted */
function checkLength(length: number, maximum: number): void {
  if (length <= maximum) return
  throw invalidField('jobs', `must be at most ${maximum} at once for this caller, got a list of ${length}`)
}

function tooMany(limit: number): never {
  throw new RequestRefused({
    status: 429,
    code: 'budget_exceeded',
    detail: `This API key may have ${limit} unfinished executions; wait for one to finish.`,
    retryAfterSeconds: RETRY_BUDGET_SECONDS,
  })
}

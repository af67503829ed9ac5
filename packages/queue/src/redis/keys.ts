import { JOBS_QUEUE } from './queue-options.ts'

/**
 * Names of all keys. They share one hash tag, so that a script or transaction can use several of them in a Redis Cluster.
 */
export class Keys {
  /** The hash tag, which is also BullMQ's prefix. */
  readonly tag: string

  constructor(prefix: string) {
    this.tag = `{${prefix}}`
  }

  /** String: a result as JSON, with a time to live. */
  result(id: string): string {
    return `${this.tag}:result:${id}`
  }

  /**
   * Hash: the large outputs of a published result in pieces, with its time to live; with a number, those of one start of the job,
   * until they are published.
   */
  outputs(id: string, attempt?: number): string {
    return `${this.tag}:outputs:${id}${attempt === undefined ? '' : `:${attempt}`}`
  }

  /** Hash: a webhook with its destination and attempts; with a time to live. */
  webhook(id: string): string {
    return `${this.tag}:webhook:${id}`
  }

  /** Sorted sets: tenants with webhooks by turn; ids of dead webhooks by time. */
  webhooks(part: 'tenants' | 'dead'): string {
    return `${this.tag}:webhooks:${part}`
  }

  /** Sorted set: the targets of a tenant's webhooks by turn. */
  webhookTargets(tenant: string): string {
    return `${this.tag}:webhooks:targets:${tenant}`
  }

  /** Sorted set: ids of a tenant's webhooks to one target by due time. */
  webhooksDue(tenant: string, target: string): string {
    return `${this.tag}:webhooks:due:${tenant}:${target}`
  }

  /** Channel: notifies deliverers that a webhook is due. */
  get webhookChannel(): string {
    return `${this.tag}:webhooks`
  }

  /** Stream: live events of a job, until some time after its end. */
  events(id: string): string {
    return `${this.tag}:events:${id}`
  }

  /** Channel: ids of running jobs to cancel. */
  get cancelChannel(): string {
    return `${this.tag}:cancel`
  }

  /** Channel: the published result of a job as JSON; an empty message if it is too large. */
  doneChannel(id: string): string {
    return `${this.tag}:done:${id}`
  }

  /** String: fingerprint of the job that first used an idempotency key. */
  fingerprint(id: string): string {
    return `${this.tag}:fingerprint:${id}`
  }

  /** String: random id of the worker's process; present while it lives. */
  lease(workerId: string): string {
    return `${this.tag}:lease:${workerId}`
  }

  /** List: entries of the quarantine, the reason and the id of each. */
  get quarantine(): string {
    return `${this.tag}:quarantine`
  }

  /** Hash: counts of the quarantine by reason. */
  get quarantineCounts(): string {
    return `${this.tag}:quarantine:counts`
  }

  /** Hash: how many jobs each worker runs at once. */
  get slots(): string {
    return `${this.tag}:slots`
  }

  /** Hash: how long each worker takes for a job, in seconds. */
  get jobSeconds(): string {
    return `${this.tag}:job-seconds`
  }

  /** String: id of the worker that holds a role. */
  claim(role: string): string {
    return `${this.tag}:claim:${role}`
  }

  /** String: languages that workers offer, a list as JSON. */
  get catalogue(): string {
    return `${this.tag}:catalogue`
  }

  /** String: the operator's maximum of waiting jobs; missing if there is none. */
  get maxWaiting(): string {
    return `${this.tag}:max-waiting`
  }

  /** String: random id of this queue. */
  get deployment(): string {
    return `${this.tag}:deployment`
  }

  /** Stream: audit events, if the operator enabled it. */
  get audit(): string {
    return `${this.tag}:audit`
  }

  /** Sorted set: `<replyTo>:<id>` of results that nobody has taken, by publication. */
  get untaken(): string {
    return `${this.tag}:untaken`
  }

  /** String: number and bytes of these results at the last sweep, as JSON; for ten minutes. */
  get untakenSizes(): string {
    return `${this.tag}:untaken:sizes`
  }

  /** Sorted set: names of results queues by the time of their last result. */
  get replyQueues(): string {
    return `${this.tag}:reply-queues`
  }

  /**
   * A batch, with a time to live. String `lease`: its producer, for seconds. Hash `state`: `owner`, `rules`, and `delivered` once its
   * callback was delivered. Hash `samples`: the record of each sample.
   */
  batch(id: string, part: 'lease' | 'state' | 'samples'): string {
    return `${this.tag}:batch:${id}:${part}`
  }

  /** String: a result to reuse for equal jobs, as JSON, with a time to live. */
  cached(key: string): string {
    return `${this.tag}:cache:${key}`
  }

  /** String: the caller that makes that result, or `skip`; for seconds. */
  flight(key: string): string {
    return `${this.tag}:cache:${key}:flight`
  }

  /** Sorted set: ids of jobs with `expiresInSeconds` by their deadline in epoch milliseconds, until it has passed. */
  get deadlines(): string {
    return `${this.tag}:deadlines`
  }

  /** String: how often a job was requeued, with a time to live. */
  requeues(id: string): string {
    return `${this.tag}:requeues:${id}`
  }

  /** Hash: the worker that runs a job, by the number of the start; with a time to live. */
  starts(id: string): string {
    return `${this.tag}:starts:${id}`
  }

  /** Sorted set: the next turn of each tenant that has taken turns ahead. */
  get turns(): string {
    return `${this.tag}:turns`
  }

  /** Hash: the present turn, and how many were taken. */
  get turnClock(): string {
    return `${this.tag}:turns:clock`
  }

  /** Hash: the rules of tenants. */
  get tenantRules(): string {
    return `${this.tag}:tenants`
  }

  /**
   * Sorted sets of ids of a tenant's jobs. `order`: waiting jobs by their own priority, if they have different ones. `running`: by
   * expiry, and `parked`: by age, if the tenant has a maximum of running jobs.
   */
  tenant(part: 'order' | 'running' | 'parked', tenant: string): string {
    return `${this.tag}:tenant:${part}:${tenant}`
  }

  /** String: since when a job has been deferred without a break, in epoch milliseconds; for as long as it may be. */
  deferredSince(id: string): string {
    return `${this.tag}:deferred-since:${id}`
  }

  /** Hash of BullMQ: one job. */
  job(id: string): string {
    return `${this.tag}:${JOBS_QUEUE}:${id}`
  }

  /** A list, set, stream or counter of BullMQ's jobs queue. */
  jobs(part: 'wait' | 'active' | 'delayed' | 'prioritized' | 'failed' | 'id' | 'pc'): string {
    return `${this.tag}:${JOBS_QUEUE}:${part}`
  }

  /** A key of a results queue of BullMQ; with an empty name, their prefix. */
  results(replyTo: string, name: string): string {
    return `${this.tag}:${resultsQueue(replyTo)}:${name}`
  }
}

/** The `replyTo` of a job whose result is not queued: the producer waits for it, or reads it by its id. */
export const NO_RESULTS_QUEUE = 'none'

/** Name of the results queue of a `replyTo`. */
export function resultsQueue(replyTo: string): string {
  return `results-${replyTo}`
}

/** Id of a job's result in its results queue. */
export function resultJobId(id: string): string {
  return `r-${id}`
}

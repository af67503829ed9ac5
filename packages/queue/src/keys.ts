import { JOBS_QUEUE } from './options.ts'

/**
 * Names of all keys. They share one hash tag, so that one script or transaction may touch several of them
 * in a Redis Cluster too.
 */
export class Keys {
  /** What BullMQ is given as its prefix: the hash tag. */
  readonly tag: string

  constructor(prefix: string) {
    this.tag = `{${prefix}}`
  }

  /** String: the result as JSON, with a time to live. */
  result(id: string): string {
    return `${this.tag}:result:${id}`
  }

  /** Hash: a webhook: where it goes and what became of its tries; with a time to live. */
  webhook(id: string): string {
    return `${this.tag}:webhook:${id}`
  }

  /** Sorted sets of all webhooks: tenants by turn, and ids of those that were given up, by time. */
  webhooks(part: 'tenants' | 'dead'): string {
    return `${this.tag}:webhooks:${part}`
  }

  /** Sorted set: the targets of a tenant's webhooks by turn. */
  webhookTargets(tenant: string): string {
    return `${this.tag}:webhooks:targets:${tenant}`
  }

  /** Sorted set: ids of a tenant's webhooks to one target by when they are due. */
  webhooksDue(tenant: string, target: string): string {
    return `${this.tag}:webhooks:due:${tenant}:${target}`
  }

  /** Channel: a webhook has become due. */
  get webhookChannel(): string {
    return `${this.tag}:webhooks`
  }

  /** Stream: what is told of a job that asked for it, while it runs and a while longer. */
  events(id: string): string {
    return `${this.tag}:events:${id}`
  }

  /** String: present while a cancellation of the job is asked for. */
  cancelFlag(id: string): string {
    return `${this.tag}:cancel:${id}`
  }

  /** Channel: ids of jobs to cancel, for the worker that runs them. */
  get cancelChannel(): string {
    return `${this.tag}:cancel`
  }

  /** Channel: a job's result as JSON once it is there; an empty message if it is too long for one. */
  doneChannel(id: string): string {
    return `${this.tag}:done:${id}`
  }

  /** String: fingerprint of the job that first used an idempotency key. */
  fingerprint(id: string): string {
    return `${this.tag}:fingerprint:${id}`
  }

  /** String: present while the worker lives. */
  lease(workerId: string): string {
    return `${this.tag}:lease:${workerId}`
  }

  /** Hash: how much was taken out of queues as nothing can be done with it, by reason. Beside it lies what it was. */
  get quarantineCounts(): string {
    return `${this.tag}:quarantine:counts`
  }

  /** Hash: how many jobs each worker takes at once. */
  get slots(): string {
    return `${this.tag}:slots`
  }

  /** String: id of the worker that holds a role. */
  claim(role: string): string {
    return `${this.tag}:claim:${role}`
  }

  /** String: JSON list of the languages that workers offer. */
  get catalogue(): string {
    return `${this.tag}:catalogue`
  }

  /** String: random id of this queue. */
  get deployment(): string {
    return `${this.tag}:deployment`
  }

  /** Stream: audit events, if the operator asked for it. */
  get audit(): string {
    return `${this.tag}:audit`
  }

  /** Sorted set: names of results queues by the time of their last result. */
  get replyQueues(): string {
    return `${this.tag}:reply-queues`
  }

  /**
   * Of a batch, each with a time to live. String `lease`: who works on it, for seconds. Hash `state`: `owner`, `rules`, and
   * `delivered` once its callback was. Hash `samples`: what is on record of each.
   */
  batch(id: string, part: 'lease' | 'state' | 'samples'): string {
    return `${this.tag}:batch:${id}:${part}`
  }

  /** String: the result of a job that is to be taken for others like it, as JSON, with a time to live. */
  cached(key: string): string {
    return `${this.tag}:cache:${key}`
  }

  /** String: present while somebody makes that result, or where nobody is to wait for it. */
  flight(key: string): string {
    return `${this.tag}:cache:${key}:flight`
  }

  /** Hash of BullMQ with one job. */
  job(id: string): string {
    return `${this.tag}:${JOBS_QUEUE}:${id}`
  }

  /** One of the lists and sets that BullMQ keeps of the jobs queue. */
  jobs(part: 'wait' | 'active' | 'delayed' | 'prioritized' | 'failed' | 'events'): string {
    return `${this.tag}:${JOBS_QUEUE}:${part}`
  }

  /** Hash of BullMQ with one result on its way. */
  resultJob(replyTo: string, id: string): string {
    return `${this.tag}:${resultsQueue(replyTo)}:${resultJobId(id)}`
  }
}

/** The `replyTo` of a job whose result goes to no results queue: the producer waits for it, or reads it by its id. */
export const NO_RESULTS_QUEUE = 'none'

/** Name of the queue that carries the results for one taker. */
export function resultsQueue(replyTo: string): string {
  return `results-${replyTo}`
}

/** Id under which a job's result travels. */
export function resultJobId(id: string): string {
  return `r-${id}`
}

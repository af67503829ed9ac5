import { Job as BullJob, type JobProgress } from 'bullmq'

/** Who completes a job, and whether its slot goes on with the next one. */
export interface Completing {
  /** What the job's lock holds. */
  readonly token: string
  /** How long the next one's lock lasts, in milliseconds. */
  readonly lockMs: number
  /** Name of the worker. */
  readonly worker: string
  readonly goesOn: boolean
}

/** BullMQ's jobs, and what it makes them of. */
const fresh = new WeakSet<object>()

/** Notes that a job, when it was taken, had no result yet, and that nobody had asked to cancel it. */
export function markFresh(job: unknown): void {
  if (typeof job === 'object' && job !== null) fresh.add(job)
}

/** Whether {@link markFresh} was called; if not, nobody has looked. */
export function isFresh(job: object): boolean {
  return fresh.has(job)
}

/** Says that a script of ours has completed the job already; a processor returns it to BullMQ. */
export class Completion {
  /** The job that the slot goes on with, as BullMQ takes it; empty if none waits, undefined if BullMQ is to look. */
  readonly next: unknown[] | undefined
  /** Epoch milliseconds. */
  readonly at = Date.now()

  constructor(next: unknown[] | undefined) {
    this.next = next
  }
}

/** A BullMQ job that is not completed a second time when its processor returns a {@link Completion}. */
export class CompletableJob<D, R, N extends string, P extends JobProgress> extends BullJob<D, R, N, P> {
  override async moveToCompleted(returned: R, token: string, fetchNext?: boolean) {
    if (!(returned instanceof Completion)) return super.moveToCompleted(returned, token, fetchNext)
    this.finishedOn = returned.at
    this.attemptsMade += 1
    return returned.next
  }
}

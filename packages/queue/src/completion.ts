import { Job as BullJob, type JobProgress, raw2NextJobData, type Worker } from 'bullmq'

/** Keys, then arguments, of BullMQ's script that completes a job and takes the next one, if there is one and it may. */
export type CompletionArgs = ReturnType<ReturnType<Worker['getBackend']>['moveToCompletedArgs']>

/** How many of {@link CompletionArgs} are keys. */
export const COMPLETION_KEYS = 14

/** Says that the script which published a job's result has completed the job too; a processor returns it to BullMQ. */
export class Completion {
  /** The job that the slot of this one goes on with, as BullMQ takes it. */
  readonly next: unknown[]
  /** Epoch milliseconds. */
  readonly at = Date.now()

  /** @param reply what BullMQ's script answered: the next job, or 0 */
  constructor(reply: unknown) {
    this.next = Array.isArray(reply) ? raw2NextJobData(reply) : []
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

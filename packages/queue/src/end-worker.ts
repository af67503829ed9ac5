import { setTimeout as sleep } from 'node:timers/promises'
import { type Job as BullJob, type JobJson, Worker } from 'bullmq'
import { CompletableJob, isFresh, markFresh } from './completion.ts'
import { toError } from './errors.ts'
import { FaultPause } from './fault-pause.ts'
import { isRefusal } from './quarantine.ts'

/** How long BullMQ gets to end by itself once nothing runs and Redis is away, in milliseconds. */
const PATIENCE_MS = 1000

/** What decides how a worker can end. */
export interface EndConditions {
  /** Whether Redis answers. */
  readonly isUp: () => boolean
  /** Whether a handler runs. */
  readonly isBusy: () => boolean
}

/** A BullMQ worker that can also be left behind when its orderly end is stuck. */
export class EndableWorker extends Worker {
  /** Ends what would keep the process alive: the renewal of locks, and the connections that go on looking for Redis. */
  async abandon(): Promise<void> {
    await this.lockManager.close()
    await settledWithin(this.getBackend().close(true), PATIENCE_MS)
  }
}

/** A worker whose processor may return a `Completion`, because a script of ours has completed the job already. */
export class CompletingWorker extends EndableWorker {
  /** Ids of jobs that had neither result nor request to cancel when they were taken on their own, until they are made. */
  fresh = new Set<string>()

  readonly #pause = new FaultPause()

  /** Takes a job. BullMQ tries again at once when Redis refuses that, thousands of times a second. */
  protected override async moveToActive(token: string, name?: string) {
    try {
      const job = await super.moveToActive(token, name)
      this.#pause.passed()
      return job
    } catch (error) {
      if (isRefusal(toError(error))) await this.#pause.wait()
      throw error
    }
  }

  override close(force?: boolean): Promise<void> {
    this.#pause.end()
    return super.close(force)
  }

  protected override get Job(): typeof CompletableJob {
    return CompletableJob
  }

  protected override createJob(json: JobJson, id: string): BullJob {
    const job = super.createJob(json, id)
    // What our jobs never have: BullMQ would make further jobs by a schedule, and fail those that it was told to without a result.
    for (const field of ['repeatJobKey', 'deferredFailure'] as const) delete job[field]
    if (this.fresh.delete(id) || isFresh(json)) markFresh(job)
    return job
  }

  /** Whether a slot may go on with a next job, while so many jobs run, the one that ends included. */
  goesOn(running: number): boolean {
    return this.closing === undefined && !this.isPaused() && running <= this.concurrency
  }
}

/**
 * Ends a BullMQ worker: takes nothing more, and waits for what runs. BullMQ itself would wait for a Redis that is away;
 * here the worker then ends as soon as no handler runs.
 */
export async function endWorker(worker: EndableWorker, { isUp, isBusy }: EndConditions): Promise<void> {
  // BullMQ closes once, in the way of the first call; forcing is only right if the orderly way is blocked from the start.
  const ended = worker.close(!isUp() && !isBusy())
  while (!(await settledWithin(ended, PATIENCE_MS))) {
    if (isUp() || isBusy()) continue
    await worker.abandon()
    return
  }
}

/** Waits for a promise, at most `ms`; says whether it settled, either way. */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  const settled = promise.then(
    () => true,
    () => true,
  )
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const first = await Promise.race([settled, late])
  timer.abort()
  return first
}

import type { Result } from '@isopod/protocol'
import pTimeout from 'p-timeout'

/** The wait of all readers of one job for its end. */
interface WaitingForEnd {
  readonly status: Promise<Result['status']>
  readonly stop: AbortController
  readers: number
}

/** Waits for the ends of jobs, once for all readers of a job, because results can be large and readers need only the status. */
export class JobEnds {
  readonly #waitForResult: (id: string, signal: AbortSignal) => Promise<Result>
  readonly #jobs = new Map<string, WaitingForEnd>()

  constructor(waitForResult: (id: string, signal: AbortSignal) => Promise<Result>) {
    this.#waitForResult = waitForResult
  }

  /** Resolves with the status of the finished job. Rejects like the wait for its result, or with the signal's reason. */
  async wait(id: string, signal: AbortSignal): Promise<Result['status']> {
    signal.throwIfAborted()
    const job = this.#jobs.get(id) ?? this.#begin(id)
    job.readers += 1
    try {
      return await pTimeout(job.status, { milliseconds: Number.POSITIVE_INFINITY, signal })
    } finally {
      job.readers -= 1
      if (job.readers === 0) this.#end(id, job)
    }
  }

  #begin(id: string): WaitingForEnd {
    const stop = new AbortController()
    const status = this.#waitForResult(id, stop.signal).then((result) => result.status)
    status.catch(() => {})
    const job = { status, stop, readers: 0 }
    this.#jobs.set(id, job)
    return job
  }

  #end(id: string, job: WaitingForEnd): void {
    if (this.#jobs.get(id) === job) this.#jobs.delete(id)
    job.stop.abort(new Error('all readers have left'))
  }
}

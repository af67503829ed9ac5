import { type JobInput, type Result, UnavailableError } from '@isopod/protocol'
import type { JobClient } from './job-client.ts'

/** How often a caller hears of a job that it waits for, in milliseconds. */
const PROGRESS_INTERVAL_MS = 1000

/** Takes the seconds since the job was enqueued, and what it is doing. */
export type ReportProgress = (seconds: number, message: string) => Promise<void>

/** How {@link runJob} waits. */
export interface RunJobOptions {
  /** An abort cancels the job. */
  readonly signal: AbortSignal
  /** After so long the job is cancelled. */
  readonly waitSeconds: number
  /** Absent if the caller did not ask. */
  readonly report?: ReportProgress | undefined
}

/**
 * Submits one job and waits for its result.
 *
 * @throws {InvalidJobError} naming the field; nothing was enqueued
 * @throws {UnavailableError} if Redis does not answer, or there was no result in time
 * @throws the signal's reason when it aborts; the job is cancelled then
 */
export async function runJob(client: JobClient, job: JobInput, options: RunJobOptions): Promise<Result> {
  const { signal, waitSeconds, report } = options
  signal.throwIfAborted()
  const id = await client.submit(job)
  const deadline = AbortSignal.timeout(waitSeconds * 1000)
  const stopReporting = report === undefined ? () => {} : reportRepeatedly(client, id, report)
  try {
    return await client.wait(id, { signal: AbortSignal.any([signal, deadline]) })
  } catch (error) {
    if (!signal.aborted && !deadline.aborted) throw error
    const waited = !signal.aborted && (await stateOf(client, id)) === 'waiting'
    // If the cancellation fails too, the job runs to its end; the caller still gets the abort.
    await client.cancel(id).catch(() => {})
    signal.throwIfAborted()
    const reason = waited ? 'no worker took the job' : 'the job had not ended'
    throw new UnavailableError(`No result within ${waitSeconds} s: ${reason}, so it was cancelled`)
  } finally {
    stopReporting()
  }
}

/** Reports at once and then at intervals. Returns what ends it; nothing is reported after that. */
function reportRepeatedly(client: JobClient, id: string, report: ReportProgress): () => void {
  const startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const tell = async () => {
    const state = await stateOf(client, id)
    if (isOver) return
    const seconds = Math.round(performance.now() - startedAt) / 1000
    const what = state === 'waiting' ? 'waiting for a worker' : 'running'
    // A caller that has gone needs no report, and its call ends by itself.
    await report(seconds, `${what}, ${Math.floor(seconds)} s`).catch(() => {})
    if (!isOver) timer = setTimeout(tell, PROGRESS_INTERVAL_MS)
  }
  void tell()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** Where the job is; undefined while Redis is away. */
async function stateOf(client: JobClient, id: string) {
  return await client.state(id).catch(() => undefined)
}
